import type { RetryPolicyOptions } from "./options.js";
import { createRetryPolicy, isRetryPolicy, type RetryPolicy } from "./policy.js";
import { createWarner } from "./warner.js";

// On globalThis, so that two copies of this package share one policy.
const slot = Symbol.for("retry-budget.default-policy.v1");

const manyPolicies = 100;
const warn = createWarner();
let lastOptions = "";
let inARow = 0;

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
export function policyOf(optionsOrPolicy?: RetryPolicyOptions | RetryPolicy): RetryPolicy {
  if (optionsOrPolicy === undefined) return defaultRetryPolicy();
  if (isRetryPolicy(optionsOrPolicy)) return optionsOrPolicy;
  const policy = createRetryPolicy(optionsOrPolicy);
  noticeRepetition(optionsOrPolicy);
  return policy;
}

// A client made for each request starts with a full budget each time, and so limits nothing.
function noticeRepetition(options: RetryPolicyOptions): void {
  const fingerprint = JSON.stringify(options, (_, value) =>
    typeof value === "function" ? String(value) : value,
  );
  inARow = fingerprint === lastOptions ? inARow + 1 : 1;
  lastOptions = fingerprint;
  if (inARow < manyPolicies) return;
  warn(
    "RETRY_BUDGET_MANY_POLICIES",
    `${manyPolicies} retry policies were made one after another from the same options, each with ` +
      "budgets of its own. Make one with createRetryPolicy() and hand it to every client.",
  );
}
