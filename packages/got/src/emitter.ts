import type { Ending } from "./granted-retry.js";

/** What got gives for a request: a promise or a stream. */
export interface Emitter extends Ending {
  readonly retryCount?: number;
  /** Of a promise until got 14. */
  readonly isCanceled?: boolean;
  /** Of a stream. */
  readonly destroyed?: boolean;
  on(event: string, listener: (value: never) => void): unknown;
}

/** Handlers of the user's may give something else. */
export function isEmitter(value: unknown): value is Emitter {
  return typeof (Object(value) as { on?: unknown }).on === "function";
}

/** Whether the caller has ended it, while a hook of his took its time. */
export function isQuit(emitter: Emitter | undefined, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true || emitter?.isCanceled === true || emitter?.destroyed === true;
}
