import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { serve, warningsDuring } from "@retry-budget/testkit";
import axiosRetry from "axios-retry";
import * as retryAxios from "retry-axios";
import { describe, expect, test } from "vitest";
import { bare, errorOf, fixture, httpAdapter, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

const noWait = (): number => 0;

// What is sent again by the plugins fails in axios 1.0 without us, too (axios-retry #218).
describe.skipIf(axiosMinor < 7)("beside axios-retry on one instance", () => {
  test.each(["before", "after"])(
    "attached %s it: that retries, we stand down and say so once",
    async (order) => {
      const server = await serve(unavailable);
      const instance = bare();
      const policy = createRetryPolicy({ backoff: noWait });
      if (order === "after") retryBudget(instance, policy);
      axiosRetry(instance, { retries: 4, retryDelay: noWait });
      if (order === "before") retryBudget(instance, policy);
      const codes = await warningsDuring(async () => {
        const error = await errorOf(instance.get(server.url));
        expect(error.response?.status).toBe(503);
        await errorOf(instance.get(server.url));
      });
      expect(server.hits).toHaveLength(5 + 5);
      // Once for the process.
      expect(codes).toEqual(order === "before" ? ["RETRY_BUDGET_LAYER"] : []);
      expect(policy.snapshot()).toMatchObject([
        { originals: 2, retries: 0, balance: 10, refusals: { layer: 2 } },
      ]);
    },
  );

  test("a request that it does not retry is ours", async () => {
    const server = await serve(unavailable);
    const instance = bare();
    axiosRetry(instance, { retries: 0 });
    retryBudget(instance, createRetryPolicy({ backoff: noWait }));
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(3);
  });

  test("options that it has left behind do not stop us", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { "axios-retry": { retries: 3 } } as object);
    expect(await instance.get(server.url)).toMatchObject({ status: 200 });
  });
});

describe.skipIf(axiosMinor < 7)("beside retry-axios on one instance", () => {
  test.each(["before", "after"])(
    "attached %s it: that retries, we stand down and say so once",
    async (order) => {
      const server = await serve(unavailable);
      const instance = bare({
        raxConfig: { retry: 4, backoffType: "static", retryDelay: 0 },
      } as object);
      const policy = createRetryPolicy({ backoff: noWait });
      if (order === "after") retryBudget(instance, policy);
      retryAxios.attach(instance);
      if (order === "before") retryBudget(instance, policy);
      const codes = await warningsDuring(() => errorOf(instance.get(server.url)));
      expect(server.hits).toHaveLength(5);
      expect(codes).toEqual(order === "before" ? ["RETRY_BUDGET_LAYER"] : []);
      expect(policy.snapshot()).toMatchObject([
        { originals: 1, retries: 0, refusals: { layer: 1 } },
      ]);
    },
  );

  test("that is told to make no retries: they are ours", async () => {
    const server = await serve(unavailable);
    const instance = bare({ raxConfig: { retry: 0 } } as object);
    retryAxios.attach(instance);
    retryBudget(instance, createRetryPolicy({ backoff: noWait }));
    const error = await errorOf(instance.get(server.url));
    expect([server.hits.length, refusalOf(error)?.refusal]).toEqual([3, "attempts"]);
  });
});

test("an interceptor that takes our adapter's place is warned of once, and the request is sent all the same", async () => {
  const server = await serve(unavailable);
  const instance = bare();
  instance.interceptors.request.use((config) => {
    config.adapter = (given) => httpAdapter(given);
    return config;
  });
  retryBudget(instance, createRetryPolicy({ backoff: noWait }));
  const codes = await warningsDuring(async () => {
    for (const _ of "12") await errorOf(instance.get(server.url));
  });
  expect(server.hits).toHaveLength(2);
  expect(codes).toEqual(["RETRY_BUDGET_ADAPTER"]);
});

test("interceptors of the user's that are called as retry-axios' are not taken for them", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture();
  const onFulfilled = <Value>(value: Value): Value => value;
  const onError = (error: unknown): Promise<never> => Promise.reject(error);
  instance.interceptors.response.use(onFulfilled, onError);
  await errorOf(instance.get(server.url));
  expect(server.hits).toHaveLength(3);
});
