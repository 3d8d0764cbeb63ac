import type { Denial } from "./call.js";
import type { Decision } from "./decide.js";
import type { OriginAccount } from "./origin-account.js";

/** The call whose attempts have failed. */
export interface FailedCall {
  readonly attempts: number;
  /** In charge of the attempt that was made last. */
  readonly account: OriginAccount;
  /** The refusal that ended the call; null after a success. */
  readonly end: Decision | null | undefined;
  /** Asks the breaker for the attempt that is about to be sent. */
  pass(account: OriginAccount): Denial | undefined;
  /** That attempt is not sent after all. */
  leave(): void;
  within<Result>(work: () => Result): Result;
  finish(end: Decision): void;
}
