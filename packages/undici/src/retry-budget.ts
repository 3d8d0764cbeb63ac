import {
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
} from "@retry-budget/core";
import type { Dispatcher } from "undici";
import { budgetDispatch, type Composition } from "./budget-dispatch.js";
import type { Dispatch } from "./undici-handlers.js";
import { resolveUndiciSettings, type UndiciSettings } from "./undici-settings.js";

declare module "undici" {
  namespace Dispatcher {
    interface DispatchOptions {
      /** False opts this request out of the retry budget; an object sets its own options. */
      retryBudget?: false | RetryBudgetRequestOptions | undefined;
    }
  }
}

/**
 * An interceptor for `dispatcher.compose()` that reissues failed requests within a retry budget.
 * It goes with undici 6, 7 and 8, and with the `fetch` that is built into Node.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget(
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings?: UndiciSettings,
): Dispatcher.DispatcherComposeInterceptor {
  const policy = policyOf(optionsOrPolicy);
  const resolved = resolveUndiciSettings(settings);
  return (...composition: Composition): Dispatch => budgetDispatch(composition, policy, resolved);
}
