import type { Outcome } from "@retry-budget/core";

/**
 * What a cockatiel policy is told of an attempt that failed without an error: a 503 of `fetch`, of
 * undici, of got with `throwHttpErrors: false`. Never what a caller gets.
 */
export class FailedResponseError extends Error {
  override readonly name = "FailedResponseError";
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(`The server has answered ${outcome.status}`);
    this.outcome = outcome;
  }

  get status(): number | undefined {
    return this.outcome.status;
  }
}
