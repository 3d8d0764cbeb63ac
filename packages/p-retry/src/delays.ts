import { longestTimer } from "@retry-budget/core";
import type { Options } from "p-retry";

interface Progress {
  readonly retriesConsumed?: number;
  readonly attemptNumber?: number;
}

/**
 * A longer timer fires at once, and p-retry before 9 does not guard against it. Both bounds, since p-retry 6 refuses a `minTimeout` above the
 * `maxTimeout`.
 */
export function withSafeTimeouts(options: Options): Options {
  const { minTimeout, maxTimeout = Number.POSITIVE_INFINITY } = options;
  return {
    ...options,
    ...(minTimeout === undefined ? {} : { minTimeout: clamp(minTimeout) }),
    maxTimeout: clamp(maxTimeout),
  };
}

/** The longest that p-retry may wait after this failure, in ms. */
export function longestDelay(failure: Progress, options: Options): number {
  const { minTimeout = 1000, factor = 2, maxTimeout = longestTimer, randomize } = options;
  const retries = failure.retriesConsumed ?? (failure.attemptNumber ?? 1) - 1;
  return Math.min(minTimeout * factor ** retries * (randomize ? 2 : 1), maxTimeout);
}

// What is no number is left for p-retry to refuse.
function clamp(timeout: number): number {
  if (timeout > longestTimer) return longestTimer;
  return timeout;
}
