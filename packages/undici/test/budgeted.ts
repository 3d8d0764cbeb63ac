import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget, type UndiciSettings } from "@retry-budget/undici";
import type { Dispatcher } from "undici";
import { onTestFinished } from "vitest";

export interface Budgeted {
  readonly policy: RetryPolicy;
  readonly dispatcher: Dispatcher;
}

/** Any dispatcher with a budget, which ends with the test. */
export function budgeted(
  bare: Dispatcher,
  options: RetryPolicyOptions = {},
  settings?: UndiciSettings,
): Budgeted {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  onTestFinished(() => bare.destroy());
  return { policy, dispatcher: bare.compose(retryBudget(policy, settings)) };
}
