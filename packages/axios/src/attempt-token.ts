import type { Token } from "./axios-instance.js";

type Listener = (reason: unknown) => void;

/** A cancel token that ends one attempt. */
export interface AttemptToken extends Token {
  cancel(reason: unknown): void;
}

/** What adapters ask of a token that nobody cancels. */
const silent: Token = {
  promise: new Promise(() => undefined),
  throwIfRequested: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
};

/**
 * Ends one attempt, beside the caller's own token if there is one, of which it inherits the rest. A
 * token and no signal: adapters take both at once, and so the caller's signal need not be listened
 * to a second time.
 */
export function attemptToken(given: Token | null | undefined): AttemptToken {
  // Not a default parameter: null and false are how callers unset it.
  const callers = given || silent;
  const listeners = new Set<Listener>();
  const own = {
    cancel: (reason: unknown): void => {
      for (const listener of [...listeners]) listener(reason);
    },
    subscribe: (listener: Listener): void => {
      listeners.add(listener);
      callers.subscribe?.(listener);
    },
    unsubscribe: (listener: Listener): void => {
      listeners.delete(listener);
      callers.unsubscribe?.(listener);
    },
    // The fetch adapter asks for it, and unsubscribes by a member that axios adds in the same way.
    toAbortSignal: (): AbortSignal => {
      const controller = new AbortController();
      const abort: Listener = (reason) => controller.abort(reason);
      own.subscribe(abort);
      return Object.assign(controller.signal, { unsubscribe: () => own.unsubscribe(abort) });
    },
  };
  return Object.assign(Object.create(callers), own);
}
