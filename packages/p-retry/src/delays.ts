import { longestTimer } from "@retry-budget/core";
import type { FailureContext, PRetryOptions } from "./p-retry-options.js";

/**
 * A longer timer fires at once, and p-retry before 9 does not guard against it. Both bounds, since
 * p-retry 5 and 6 refuse a `minTimeout` above the `maxTimeout`.
 */
export function withSafeTimeouts(options: PRetryOptions): PRetryOptions {
  const maxTimeout = clamp(options.maxTimeout ?? Number.POSITIVE_INFINITY);
  const { minTimeout } = options;
  // What is no finite number is left for p-retry to refuse.
  if (minTimeout === undefined || !Number.isFinite(minTimeout)) return { ...options, maxTimeout };
  return { ...options, maxTimeout, minTimeout: clamp(minTimeout) };
}

/** The longest that p-retry may wait after this failure, in ms. */
export function longestDelay(
  context: FailureContext | undefined,
  attempts: number,
  options: PRetryOptions,
): number {
  if (context?.retryDelay !== undefined) return context.retryDelay;
  const { minTimeout, factor, maxTimeout, randomize } = options;
  const retries = context?.retriesConsumed ?? attempts - 1;
  // p-retry 7 takes a factor that is not positive for 1, and `null` for not given.
  const growth = (factor ?? 2) > 0 ? (factor ?? 2) : 1;
  const longest = (minTimeout ?? 1000) * growth ** retries * (randomize ? 2 : 1);
  return Math.min(longest, maxTimeout ?? longestTimer);
}

function clamp(timeout: number): number {
  if (timeout > longestTimer) return longestTimer;
  return timeout;
}
