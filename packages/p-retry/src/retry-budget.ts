import {
  expectKey,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { Options } from "p-retry";
import { BudgetedRun } from "./budgeted-run.js";
import { expectPRetryModule, type PRetryModule } from "./p-retry-module.js";

/** What is the adapter's own, and not the policy's. */
export interface PRetrySettings {
  /**
   * What the operation goes to, and so which budget it has: a URL, or the name of something that
   * is no HTTP. One call's own is given as `retryBudget: { key }`. @default "p-retry"
   */
  readonly key?: string | URL | undefined;
}

/** p-retry's options, and one call's own of the retry budget. */
export type BudgetedOptions = Options & {
  /** False opts this call out of the retry budget; an object sets its own options. */
  readonly retryBudget?: false | RetryBudgetRequestOptions | undefined;
};

/** A pRetry whose retries are within a budget. */
export type BudgetedPRetry = <Result>(
  input: (attemptNumber: number) => PromiseLike<Result> | Result,
  options?: BudgetedOptions,
) => Promise<Result>;

/**
 * A `pRetry` of the same signature that keeps its retries within a retry budget. p-retry's own
 * options keep their meaning: its `retries` and its delays, and a `shouldRetry` that says no.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget(
  module: PRetryModule,
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings: PRetrySettings = {},
): BudgetedPRetry {
  const { pRetry, AbortError } = expectPRetryModule(module);
  const { key = "p-retry" } = resolveSettings(settings, { key: expectKey });
  const policy = policyOf(optionsOrPolicy);
  return (input, options) => {
    const { retryBudget: own, ...rest }: BudgetedOptions = options ?? {};
    const { signal } = rest;
    const call = policy.call({
      client: "p-retry",
      method: "CALL",
      key,
      options: own,
      maxAttempts: maxAttemptsOf(rest),
      // The caller has said what may be repeated by handing it to p-retry.
      isIdempotent: () => true,
      isReplayable: () => true,
      isAborted: () => signal?.aborted === true,
    });
    if (call === undefined) return pRetry(input, rest);
    return new BudgetedRun(call, input, rest, AbortError).start(pRetry);
  };
}

/** p-retry's own limit, where it is one of attempts: some retries may not be counted. */
function maxAttemptsOf({ retries, shouldConsumeRetry }: Options): number | undefined {
  if (typeof retries !== "number" || !(retries >= 0) || shouldConsumeRetry) return undefined;
  return retries + 1;
}
