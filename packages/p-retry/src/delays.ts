import { longestTimer } from "@retry-budget/core";
import type { Options } from "p-retry";

interface Progress {
  readonly retriesConsumed?: number;
  readonly attemptNumber?: number;
}

/**
 * A longer timer fires at once, and p-retry before 9 does not guard against it. Both bounds, since
 * p-retry 6 refuses a `minTimeout` above the `maxTimeout`.
 */
export function withSafeTimeouts(options: Options): Options {
  const maxTimeout = clamp(options.maxTimeout ?? Number.POSITIVE_INFINITY);
  const safe = { ...options, maxTimeout };
  const { minTimeout } = options;
  // What is no finite number is left for p-retry to refuse.
  if (minTimeout !== undefined && Number.isFinite(minTimeout)) safe.minTimeout = clamp(minTimeout);
  return safe;
}

/** The longest that p-retry may wait after this failure, in ms. */
export function longestDelay(failure: Progress, options: Options): number {
  const { minTimeout, factor, maxTimeout, randomize } = options;
  const retries = failure.retriesConsumed ?? (failure.attemptNumber ?? 1) - 1;
  // p-retry 7 takes a factor that is not positive for 1, and `null` for not given.
  const growth = (factor ?? 2) > 0 ? (factor ?? 2) : 1;
  const longest = (minTimeout ?? 1000) * growth ** retries * (randomize ? 2 : 1);
  return Math.min(longest, maxTimeout ?? longestTimer);
}

function clamp(timeout: number): number {
  if (timeout > longestTimer) return longestTimer;
  return timeout;
}
