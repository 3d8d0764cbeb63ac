import {
  type CallFacts,
  createWarner,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import { BudgetedRun } from "./budgeted-run.js";
import { askForKey, expectKeyOrFunction, isFunction, type Key, splitKey } from "./key.js";
import {
  expectPRetryModule,
  type Input,
  type PRetry,
  type PRetryModule,
} from "./p-retry-module.js";
import type { PRetryOptions } from "./p-retry-options.js";

/** What is the adapter's own, and not the policy's. */
export interface PRetrySettings {
  /**
   * What the operation goes to, and so which budget it has: a URL, the name of something that is no
   * HTTP, or a function of the error that an attempt failed with. Of a function, `undefined`, a
   * throw and what is no key mean the default. One call's own is given as `retryBudget: { key }`.
   * @default "p-retry"
   */
  readonly key?: Key | undefined;
}

/** One call's own options of the retry budget. */
export interface PRetryRequestOptions extends Omit<RetryBudgetRequestOptions, "key"> {
  /** The budget to use: a URL, a name, or a function of the error. */
  readonly key?: Key | undefined;
}

/** p-retry's options, of the major that was handed over, and one call's own of the retry budget. */
export type BudgetedOptions<Options extends object = object> = Options & {
  /** False opts this call out of the retry budget; an object sets its own options. */
  readonly retryBudget?: false | PRetryRequestOptions | undefined;
};

/** A pRetry whose retries are within a budget. */
export interface BudgetedPRetry<Options extends object = object> {
  <Result>(input: Input<Result>, options?: BudgetedOptions<Options>): Promise<Result>;
  /**
   * Gives the function another form, each call of which is retried within the budget; as p-retry's
   * own `makeRetriable`, and under the majors that have none as well.
   */
  readonly makeRetriable: <Arguments extends readonly unknown[], Result, This = unknown>(
    function_: (this: This, ...arguments_: Arguments) => PromiseLike<Result> | Result,
    options?: BudgetedOptions<Options>,
  ) => (this: This, ...arguments_: Arguments) => Promise<Result>;
}

/**
 * A `pRetry` of the same signature that keeps its retries within a retry budget. p-retry's own
 * options keep their meaning: its `retries` and its delays, and a `shouldRetry` that says no.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget<Options extends object>(
  module: PRetryModule<Options>,
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings: PRetrySettings = {},
): BudgetedPRetry<Options> {
  const { pRetry, AbortError } = expectPRetryModule(module);
  // As they are now.
  const used = { pRetry, AbortError };
  const { key } = resolveSettings(settings, { key: expectKeyOrFunction });
  const policy = policyOf(optionsOrPolicy);
  const warn = createWarner();
  const defaultKey = isFunction(key) || key === undefined ? "p-retry" : key;

  async function retry<Result>(input: Input<Result>, given?: BudgetedOptions): Promise<Result> {
    const { retryBudget: own, ...options }: BudgetedOptions = given ?? {};
    const request = splitKey(own);
    const call = policy.call(factsOf(options, defaultKey, request.options));
    if (call === undefined) return pRetry(input, options);
    const ofError = request.key ?? key;
    const keyOf = isFunction(ofError)
      ? (error: unknown) => askForKey(ofError, error, warn) ?? defaultKey
      : undefined;
    return new BudgetedRun({ module: used, call, input, options, keyOf }).start();
  }
  return Object.assign(retry, { makeRetriable: makeRetriableBy(retry) });
}

function factsOf(given: PRetryOptions, key: string, options: unknown): CallFacts {
  return {
    client: "p-retry",
    method: "CALL",
    key,
    options,
    maxAttempts: () => maxAttemptsOf(given),
    // The caller has said what may be repeated by handing it to p-retry.
    isIdempotent: () => true,
    isReplayable: () => true,
  };
}

/** p-retry's own limit, where it is one of attempts: some retries may not be counted. */
function maxAttemptsOf(options: PRetryOptions): number | undefined {
  const { retries = 10, forever, shouldConsumeRetry } = options;
  if (typeof retries !== "number" || !(retries >= 0)) return undefined;
  return forever || shouldConsumeRetry ? undefined : retries + 1;
}

function makeRetriableBy(retry: PRetry<BudgetedOptions>): BudgetedPRetry["makeRetriable"] {
  return (function_, options) =>
    function (...arguments_) {
      return retry(() => function_.apply(this, arguments_ as never), options);
    };
}
