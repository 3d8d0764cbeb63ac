import type { CallFacts } from "./call.js";
import type { Grant } from "./grant.js";
import type { Outcome } from "./outcome.js";

/** What `onRetry` is told about the retry that is about to be sent. */
export interface RetryContext<Headers = unknown> {
  readonly origin: string;
  /** Number of the attempt to come, from 2. */
  readonly attempt: number;
  /** The wait that has passed, in ms. */
  readonly delay: number;
  /** The failure that is retried. */
  readonly outcome: Outcome;
  readonly client: string;
  readonly method: string;
  /** The request's headers, to be changed in the client's own form; undefined where it has none. */
  readonly headers: Headers;
}

/** What it gives is awaited, and otherwise not used. */
export type OnRetry<Headers = unknown> = (context: RetryContext<Headers>) => unknown;

export function retryContext(
  { client, method }: CallFacts,
  { account, delay, outcome }: Grant,
  attempt: number,
  headers: unknown,
): RetryContext {
  return { origin: account.origin, client, method, attempt, delay, outcome, headers };
}
