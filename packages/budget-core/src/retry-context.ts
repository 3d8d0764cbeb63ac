import type { Outcome } from "./outcome.js";

/** What `onRetry` is told about the retry that is about to be sent. */
export interface RetryContext {
  readonly origin: string;
  /** Number of the attempt to come, from 2. */
  readonly attempt: number;
  /** The wait that has passed, in ms. */
  readonly delay: number;
  /** The failure that is retried. */
  readonly outcome: Outcome;
  readonly client: string;
  readonly method: string;
  /** The request's headers in the client's own form, where the client lets one change them. */
  readonly headers?: unknown;
}

export type OnRetry = (context: RetryContext) => void | PromiseLike<void>;
