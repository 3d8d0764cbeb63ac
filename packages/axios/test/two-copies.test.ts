import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import { hang, serve, until } from "@retry-budget/testkit";
import axios from "axios";
import other from "axios-1.7";
import { expect, test } from "vitest";
import { getAdapterOf } from "../src/get-adapter-of.js";
import { bare, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

test("two copies of axios have one policy, and each its own errors (axios-retry #218, #309, axios #5089, #5226)", async () => {
  const server = await serve(unavailable);
  const policy = createRetryPolicy({ backoff: () => 0 });
  const [first, second] = [bare(), other.create({ proxy: false })];
  retryBudget(first, policy);
  retryBudget(second, policy);
  const options = { headers: { "x-a": "1" } };
  expect(await errorOf(first.get(server.url, options))).toBeInstanceOf(axios.AxiosError);
  expect(await errorOf(second.get(server.url, options))).toBeInstanceOf(other.AxiosError);
  expect(server.hits.map(({ headers }) => headers["x-a"])).toEqual(Array(6).fill("1"));
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 4 }]);
});

test("cancelling rejects with the error of the copy that made the instance", async () => {
  const server = await serve(unavailable);
  const policy = createRetryPolicy({ backoff: () => 60_000 });
  const instance = other.create({ proxy: false });
  retryBudget(instance, policy);
  const aborting = new AbortController();
  const error = errorOf(instance.get(server.url, { signal: aborting.signal }));
  await until(() => policy.snapshot()[0]?.balance === 9);
  aborting.abort();
  expect(await error).toBeInstanceOf(other.CanceledError);
});

test("the deadline's error is that copy's, too", async () => {
  const server = await serve(hang());
  const instance = other.create({ proxy: false });
  retryBudget(instance, createRetryPolicy({ deadline: 100 }));
  expect(await errorOf(instance.get(server.url))).toBeInstanceOf(other.AxiosError);
});

// axios before 1.18 cannot read the headers of another copy.
test.skipIf(axiosMinor < 18)(
  "a config of the older copy that has failed is sent again by the newer with its headers (axios #5089)",
  async () => {
    const server = await serve(unavailable, unavailable, unavailable, unavailable, ok);
    const instance = other.create({ proxy: false });
    retryBudget(instance, createRetryPolicy({ backoff: () => 0 }));
    const { config } = await errorOf(instance.get(server.url, { headers: { "x-a": "1" } }));
    const { instance: newer } = fixture();
    expect(await newer.request(config as object)).toMatchObject({ status: 200 });
    expect(server.hits.map(({ headers }) => headers["x-a"])).toEqual(Array(5).fill("1"));
  },
);

test.skipIf(axiosMinor < 7)(
  "of the copy that is beside this package an adapter is looked up without a detour",
  () => {
    expect(getAdapterOf(bare() as never)).toBe(axios.getAdapter);
    expect(getAdapterOf(other.create() as never)).toBeUndefined();
    expect(getAdapterOf(other as never)).toBe(other.getAdapter);
  },
);
