import type { RetryPolicyOptions } from "./options.js";
import { createRetryPolicy, isRetryPolicy, type RetryPolicy } from "./policy.js";
import { createWarner } from "./warner.js";

// On globalThis, so that two copies of this package share one policy.
const slot = Symbol.for("retry-budget.default-policy.v1");

const manyPolicies = 100;
const warn = createWarner();
let lastOptions: unknown;
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
export function policyOf<Headers>(
  optionsOrPolicy?: RetryPolicyOptions<Headers> | RetryPolicy,
): RetryPolicy {
  if (optionsOrPolicy === undefined) return defaultRetryPolicy();
  if (isRetryPolicy(optionsOrPolicy)) return optionsOrPolicy;
  // The adapter says which headers its client has, and hands those to `onRetry`.
  const policy = createRetryPolicy(optionsOrPolicy as RetryPolicyOptions);
  noticeRepetition(optionsOrPolicy);
  return policy;
}

// A client made for each request starts with a full budget each time, and so limits nothing.
function noticeRepetition(options: object): void {
  const fingerprint = fingerprintOf(options);
  inARow = fingerprint === lastOptions ? inARow + 1 : 1;
  lastOptions = fingerprint;
  if (inARow < manyPolicies) return;
  warn(
    "RETRY_BUDGET_MANY_POLICIES",
    `${manyPolicies} retry policies were made one after another from the same options, each with ` +
      "budgets of its own. Make one with createRetryPolicy() and hand it to every client.",
  );
}

function fingerprintOf(options: object): unknown {
  try {
    return JSON.stringify(options, (_, value) =>
      typeof value === "function" ? String(value) : value,
    );
  } catch {
    // What cannot be written down, such as a store that points at itself, is like nothing else.
    return options;
  }
}
