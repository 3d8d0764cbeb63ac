import { createWarner } from "@retry-budget/core";
import type { Config, Instance } from "./axios-instance.js";

/** What axios-retry and retry-axios keep on the config of a request. */
interface Neighbours {
  readonly "axios-retry"?: {
    readonly retries?: number;
    readonly retryCount?: number;
    /** Set by its interceptor, and not by those who only configure it. */
    readonly lastRequestTime?: number;
  };
  readonly raxConfig?: { readonly retry?: number; readonly currentRetryAttempt?: number };
}

// For the process: some make an instance for each request.
const warn = createWarner();

/** Whether another plugin sends this request again: it is no original then. */
export function isReissue(config: Config): boolean {
  const { "axios-retry": axiosRetry, raxConfig } = config as Neighbours;
  return (axiosRetry?.retryCount ?? 0) > 0 || (raxConfig?.currentRetryAttempt ?? 0) > 0;
}

/** Whether another plugin of the same instance retries this request; warns of it once. */
export function isRetriedElsewhere(instance: Instance, config: Config): boolean {
  const { "axios-retry": axiosRetry, raxConfig } = config as Neighbours;
  const isAxiosRetry = axiosRetry?.lastRequestTime !== undefined && (axiosRetry.retries ?? 0) > 0;
  const isRetryAxios = !isAxiosRetry && raxConfig?.retry !== 0 && hasRetryAxios(instance);
  if (!isAxiosRetry && !isRetryAxios) return false;
  const name = isAxiosRetry ? "axios-retry" : "retry-axios";
  warn(
    "RETRY_BUDGET_LAYER",
    `${name} is attached to the same axios instance as the retry budget, which stands down: two ` +
      `layers of retries multiply. Take ${name} off this instance to have a budget.`,
    name,
  );
  return true;
}

/** Before its first retry retry-axios leaves no trace but its handlers. */
function hasRetryAxios({ interceptors }: Instance): boolean {
  let found = false;
  interceptors.response.forEach?.(({ fulfilled, rejected }) => {
    const { name } = Object(fulfilled) as { name?: unknown };
    if (name === "onFulfilled" && String(rejected).includes("onError")) found = true;
  });
  return found;
}
