import { policyOf, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import type { ExtendOptions, HandlerFunction, Headers } from "got";
import { BudgetedRequest } from "./budgeted-request.js";
import { GotFacts } from "./got-facts.js";
import { isNewRequest } from "./new-request.js";

/**
 * Options for `got.extend()` that keep got's own retries within a retry budget. Whatever `retry`
 * says goes on to hold: limit, methods, statusCodes, calculateDelay.
 *
 * One request's own options are given as `context: { retryBudget: false | { … } }`.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget(
  optionsOrPolicy?: RetryPolicyOptions<Headers> | RetryPolicy,
): Pick<ExtendOptions, "handlers"> {
  const policy = policyOf(optionsOrPolicy);
  // A handler gets this request's own copy of the options. In `retry.calculateDelay` itself, a
  // later `extend` or a request would silently replace ours.
  const handler: HandlerFunction = (options, next) => {
    if (!isNewRequest(options)) return next(options);
    const facts = new GotFacts(options);
    const call = policy.call(facts);
    if (call === undefined) return next(options);
    const request = new BudgetedRequest(call, facts, options);
    const result = next(options);
    request.watch(result);
    // As it is: a promise around got's would add an unhandled rejection.
    return result;
  };
  return { handlers: [handler] };
}
