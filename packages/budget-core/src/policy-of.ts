import type { RetryPolicyOptions } from "./options.js";
import { createRetryPolicy, isRetryPolicy, type RetryPolicy } from "./policy.js";
import { warnOfRepetition } from "./warnings.js";

// On globalThis, so that two copies of this package share one policy.
const slot = Symbol.for("retry-budget.default-policy.v1");

/** The policy of adapters that are given nothing: one for the process. */
export function defaultRetryPolicy(): RetryPolicy {
  const shared = globalThis as { [slot]?: RetryPolicy };
  shared[slot] ??= createRetryPolicy();
  return shared[slot];
}

/**
 * What an adapter's argument means: a policy is used as it is, options make a private one, and
 * nothing means the default policy.
 * @throws TypeError that names the option and the value.
 */
export function policyOf<Headers>(
  optionsOrPolicy?: RetryPolicyOptions<Headers> | RetryPolicy,
): RetryPolicy {
  if (optionsOrPolicy === undefined) return defaultRetryPolicy();
  if (isRetryPolicy(optionsOrPolicy)) return optionsOrPolicy;
  // The adapter says which headers its client has, and hands those to `onRetry`.
  const policy = createRetryPolicy(optionsOrPolicy as RetryPolicyOptions);
  warnOfRepetition(optionsOrPolicy);
  return policy;
}
