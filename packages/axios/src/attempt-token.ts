import type { Token } from "./axios-instance.js";

type Listener = (reason: unknown) => void;

/**
 * Ends one attempt, beside the caller's own token if there is one. A token and no signal: adapters
 * take both at once, and so the caller's signal need not be listened to a second time.
 */
export class AttemptToken implements Token {
  readonly promise: Promise<unknown>;
  readonly #callers: Token | undefined;
  readonly #listeners = new Set<Listener>();

  constructor(callers: Token | undefined) {
    this.#callers = callers;
    this.promise = callers?.promise ?? new Promise(() => undefined);
  }

  get reason(): unknown {
    return this.#callers?.reason;
  }

  cancel(reason: unknown): void {
    for (const listener of [...this.#listeners]) listener(reason);
  }

  throwIfRequested(): void {
    this.#callers?.throwIfRequested?.();
  }

  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
    this.#callers?.subscribe?.(listener);
  }

  unsubscribe(listener: Listener): void {
    this.#listeners.delete(listener);
    this.#callers?.unsubscribe?.(listener);
  }

  // The fetch adapter asks for it, and unsubscribes by a member that axios adds in the same way.
  toAbortSignal(): AbortSignal {
    const controller = new AbortController();
    const abort: Listener = (reason) => controller.abort(reason);
    this.subscribe(abort);
    return Object.assign(controller.signal, { unsubscribe: () => this.unsubscribe(abort) });
  }
}
