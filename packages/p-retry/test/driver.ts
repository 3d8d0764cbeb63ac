import { retryBudget } from "@retry-budget/p-retry";
import type { Answer, Driver, DriverRequest } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { pRetryMajor } from "./p-retry-major.js";

/** What fetch does not do by itself: a status that another attempt may clear becomes an error. */
class StatusError extends Error {
  override name = "StatusError";
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
  }
}

async function operation(url: string, { signal, timeout }: DriverRequest): Promise<Answer> {
  const response = await fetch(url, {
    ...(signal === undefined ? {} : { signal }),
    ...(timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) }),
  });
  const body = await response.text();
  if (response.status === 429 || response.status >= 500)
    throw new StatusError(response.status, body);
  return { status: response.status, body, result: response, failed: false };
}

export const driver: Driver = {
  name: "p-retry",
  http: false,
  reissuesPost: true,
  // `TypeError: terminated` is no network error to p-retry 5.
  retriesTruncated: pRetryMajor >= 6,
  isTimeout: (error) => Object(error).name === "TimeoutError",
  create: (policy, wait) => {
    const retry = retryBudget({ pRetry, AbortError }, policy);
    return {
      send: async (url, request = {}) => {
        const { signal, retryBudget: own } = request;
        try {
          return await retry(() => operation(url, request), {
            minTimeout: wait,
            factor: 1,
            ...(signal === undefined ? {} : { signal }),
            retryBudget: own === false ? false : { key: url, ...own },
          });
        } catch (error) {
          const { status, body } = error instanceof StatusError ? error : Object({});
          return { status, body, result: error, failed: true };
        }
      },
      close: () => undefined,
    };
  },
};
