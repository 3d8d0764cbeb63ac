import { expectRequestOptions, type RetryBudgetRequestOptions } from "@retry-budget/core";

type AnyDispatch = (options: never, handler: never) => boolean;

/**
 * An interceptor that gives every request its own options, for `fetch`, which hands none down. To be
 * composed outside the retry budget; what a request says by itself goes before.
 * @throws TypeError that names the option and the value.
 */
export function requestOptions(
  retryBudget: false | RetryBudgetRequestOptions,
): <Dispatch extends AnyDispatch>(dispatch: Dispatch) => Dispatch {
  if (retryBudget !== false) expectRequestOptions(retryBudget);
  // Generic, since each major, and the types of Node, have a Dispatcher type of their own.
  return <Dispatch extends AnyDispatch>(dispatch: Dispatch) => {
    const intercepted: AnyDispatch = (options, handler) => {
      const { retryBudget: own } = options as { readonly retryBudget?: unknown };
      const dispatched = { ...(options as object), retryBudget: own ?? retryBudget };
      return dispatch(dispatched as never, handler);
    };
    return intercepted as Dispatch;
  };
}
