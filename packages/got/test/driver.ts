import { retryBudget } from "@retry-budget/got";
import type { Driver } from "@retry-budget/testkit";
import got, { type Method, RequestError } from "got";

export const driver: Driver = {
  name: "got",
  http: true,
  reissuesPost: false,
  retriesTruncated: true,
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
          const result = await client(url, {
            method: method as Method,
            ...(body === undefined ? {} : { body }),
            ...(headers === undefined ? {} : { headers }),
            ...(signal === undefined ? {} : { signal }),
            ...(timeout === undefined ? {} : { timeout: { request: timeout } }),
            ...(own === undefined ? {} : { context: { retryBudget: own } }),
          });
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
