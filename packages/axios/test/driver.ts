import { Agent } from "node:http";
import { retryBudget } from "@retry-budget/axios";
import type { Driver } from "@retry-budget/testkit";
import axios, { AxiosError } from "axios";

export const driver: Driver = {
  name: "axios",
  http: true,
  reissuesPost: true,
  retriesTruncated: true,
  isTimeout: (error) => error instanceof AxiosError && error.code === "ECONNABORTED",
  create: (policy) => {
    const httpAgent = new Agent({ keepAlive: true });
    const instance = axios.create({ httpAgent, proxy: false, responseType: "text" });
    retryBudget(instance, policy);
    return {
      send: async (
        url,
        { method = "GET", body, headers, signal, timeout, retryBudget: own } = {},
      ) => {
        try {
          const result = await instance.request({
            url,
            method,
            ...(body === undefined ? {} : { data: body }),
            ...(headers === undefined ? {} : { headers }),
            ...(signal === undefined ? {} : { signal }),
            ...(timeout === undefined ? {} : { timeout }),
            ...(own === undefined ? {} : { retryBudget: own }),
          });
          return { status: result.status, body: result.data, result, failed: false };
        } catch (result) {
          const response = result instanceof AxiosError ? result.response : undefined;
          return { status: response?.status, body: response?.data, result, failed: true };
        }
      },
      close: () => httpAgent.destroy(),
    };
  },
};
