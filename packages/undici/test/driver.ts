import type { Driver } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, errors, request } from "undici";

export const driver: Driver = {
  name: "undici",
  http: true,
  reissuesPost: true,
  retriesTruncated: false,
  followsRedirects: false,
  isTimeout: (error) => error instanceof errors.HeadersTimeoutError,
  create: (policy) => {
    const agent = new Agent();
    const dispatcher = agent.compose(retryBudget(policy));
    return {
      send: async (
        url,
        { method = "GET", body, headers, signal, timeout, retryBudget: own } = {},
      ) => {
        try {
          const result = await request(url, {
            dispatcher,
            method: method as "GET",
            ...(body === undefined ? {} : { body }),
            ...(headers === undefined ? {} : { headers }),
            ...(signal === undefined ? {} : { signal }),
            ...(timeout === undefined ? {} : { headersTimeout: timeout }),
            ...(own === undefined ? {} : { retryBudget: own }),
          });
          return {
            status: result.statusCode,
            body: await result.body.text(),
            result,
            failed: false,
          };
        } catch (result) {
          return { status: undefined, body: undefined, result, failed: true };
        }
      },
      close: () => agent.destroy(),
    };
  },
};
