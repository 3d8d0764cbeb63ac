import type { Call } from "@retry-budget/core";
import type { RequestError } from "got";
import { outcomeOfError } from "./got-outcome.js";

interface RetryObject {
  readonly error: RequestError;
  readonly computedValue: number;
}

type CalculateDelay<Retry> = (retry: Retry) => number | PromiseLike<number>;

/** The user's delay, or 0 where the policy refuses the retry: got then gives its own error. */
export async function askBudget<Retry extends RetryObject>(
  call: Call,
  calculateDelay: CalculateDelay<Retry>,
  retry: Retry,
): Promise<number> {
  const { error, computedValue } = retry;
  const own = await calculateDelay(retry);
  // `retryWithMergedOptions`: the same request anew, after a refreshed token for instance.
  if (error.name === "RetryError") return own;
  const decision = call.settle(outcomeOfError(error, computedValue, own));
  if (!decision.retry) return 0;
  // Whatever ends the request before our `beforeRetry` gives the token back.
  error.request?.once("close", () => call.abandon());
  if (!call.hasOnRetry) return Math.max(1, decision.delay);
  // `onRetry` comes after the wait, and if it throws, got still has to give its own error.
  await call.sleep();
  if (await call.prepare(error.options.headers)) return 1;
  return error.request?.destroyed === true ? 1 : 0;
}
