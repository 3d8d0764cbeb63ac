import { retryBudget } from "@retry-budget/got";
import type { Driver } from "@retry-budget/testkit";
import got, { type Method, RequestError, TimeoutError } from "got";
import { failsOfTruncated, failsTwiceWhenRefused, gotMajor } from "./got-version.js";

export const driver: Driver = {
  name: "got",
  http: true,
  reissuesPost: false,
  retriesTruncated: !failsOfTruncated,
  takesSignal: gotMajor > 11,
  retriesRefused: !failsTwiceWhenRefused,
  hasOwnTimers: true,
  isTimeout: (error) => error instanceof TimeoutError,
  create: (policy, wait) => {
    const client = got.extend(retryBudget(policy), {
      retry: { calculateDelay: ({ computedValue }) => computedValue && wait },
    });
    return {
      send: async (
        url,
        { method = "GET", body, headers, signal, timeout, retryBudget: own } = {},
      ) => {
        try {
          const request = client(url, {
            method: method as Method,
            ...(body === undefined ? {} : { body }),
            ...(headers === undefined ? {} : { headers }),
            ...(signal === undefined || gotMajor === 11 ? {} : { signal }),
            ...(timeout === undefined ? {} : { timeout: { request: timeout } }),
            ...(own === undefined ? {} : { context: { retryBudget: own } }),
          });
          if (gotMajor === 11) cancelBy(signal, request as never);
          const result = await request;
          return { status: result.statusCode, body: result.body, result, failed: false };
        } catch (result) {
          const response = result instanceof RequestError ? result.response : undefined;
          const text = response?.body;
          return {
            status: response?.statusCode,
            body: typeof text === "string" ? text : undefined,
            result,
            failed: true,
          };
        }
      },
      close: () => undefined,
    };
  },
};

/** got 11 knows no signals. */
function cancelBy(signal: AbortSignal | undefined, request: { cancel(): void }): void {
  if (signal?.aborted === true) request.cancel();
  signal?.addEventListener("abort", () => request.cancel());
}
