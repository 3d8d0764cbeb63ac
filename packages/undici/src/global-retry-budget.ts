import {
  createWarner,
  policyOf,
  type RetryPolicy,
  type RetryPolicyOptions,
} from "@retry-budget/core";
import { budgetDispatch, type Composition } from "./budget-dispatch.js";
import {
  builtInDispatcher,
  hasUnreadDispatcher,
  replaceGlobalDispatchers,
} from "./global-dispatchers.js";
import type { Dispatch } from "./undici-handlers.js";
import { resolveUndiciSettings, type UndiciSettings } from "./undici-settings.js";

type FetchInit = NonNullable<Parameters<typeof fetch>[1]>;
/** What `fetch` takes as its `dispatcher`, by the types that the project has. */
type FetchDispatcher = FetchInit extends { dispatcher?: infer Type } ? NonNullable<Type> : unknown;

export interface GlobalRetryBudget {
  /** The dispatcher of the built-in `fetch`, with the budget, to compose further. */
  readonly dispatcher: FetchDispatcher;
  /** Takes the budget away again, also for those who hold on to the dispatcher. */
  detach(): void;
}

/**
 * Puts a retry budget under the global dispatcher: under that of the `fetch` which is built into
 * Node, and under undici's own, where that is installed. Whoever sets another one later replaces it.
 * @throws TypeError that names the option and the value; Error where there is nothing to compose on.
 */
export function globalRetryBudget(
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings?: UndiciSettings,
): GlobalRetryBudget {
  const policy = policyOf(optionsOrPolicy);
  const resolved = resolveUndiciSettings(settings);
  const builtIn = builtInDispatcher();
  if (hasUnreadDispatcher()) warnOfUnreadDispatcher();
  let isAttached = true;
  const interceptor = (...composition: Composition): Dispatch => {
    const [dispatch] = composition;
    const budgeted = budgetDispatch(composition, policy, resolved);
    return (options, handler) =>
      isAttached ? budgeted(options, handler) : dispatch(options, handler);
  };
  let dispatcher = builtIn;
  const restore = replaceGlobalDispatchers((old) => {
    const composed = old.compose(interceptor);
    if (old === builtIn) dispatcher = composed;
    return composed;
  });
  return {
    dispatcher: dispatcher as unknown as FetchDispatcher,
    detach: () => {
      isAttached = false;
      restore();
    },
  };
}

function warnOfUnreadDispatcher(): void {
  const message =
    "An older undici (6, or 7 before 7.27) has set a global dispatcher, which the fetch of Node " +
    `${process.version} does not read: what you set there does not hold for it. The budget is ` +
    "under both; undici 7.27 and later set one dispatcher for both.";
  createWarner()("RETRY_BUDGET_GLOBAL", message);
}
