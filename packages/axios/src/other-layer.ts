import type { Config, Instance } from "./axios-instance.js";
import { warnOfLayer } from "./warnings.js";

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
  warnOfLayer(name);
  return true;
}

// Of 4, which hands the instance on, and of those before. Others have an `onError` as well.
const retryAxios = /=> ?onError\(\w+, ?\w+\)|currentRetryAttempt/;

/** Before its first retry retry-axios leaves no trace but its handlers. */
function hasRetryAxios({ interceptors }: Instance): boolean {
  let found = false;
  interceptors.response.forEach?.(({ fulfilled, rejected }) => {
    const { name } = Object(fulfilled) as { name?: unknown };
    if (name === "onFulfilled" && retryAxios.test(String(rejected))) found = true;
  });
  return found;
}
