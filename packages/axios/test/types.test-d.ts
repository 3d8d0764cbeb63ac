import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import axios, { type AxiosHeaders } from "axios";
import other from "axios-1.7";
import { expectTypeOf, test } from "vitest";

test("the static axios and its instances are accepted", () => {
  expectTypeOf(retryBudget(axios)).toEqualTypeOf<{ detach(): void }>();
  retryBudget(axios.create(), { ratio: 0.2 });
  retryBudget(axios.create(), createRetryPolicy(), {
    getAdapter: Reflect.get(axios, "getAdapter"),
  });
  // @ts-expect-error no instance
  retryBudget("axios");
});

test("requests, instances and defaults take options of their own", () => {
  void axios.get("/", { retryBudget: false });
  axios.create({ retryBudget: { idempotent: true } });
  axios.defaults.retryBudget = { maxAttempts: 2 };
  // @ts-expect-error it is `false` or options
  void axios.get("/", { retryBudget: "no" });
});

test("an instance of another copy of axios is accepted (axios-retry #159, #168)", () => {
  expectTypeOf(retryBudget(other.create(), { ratio: 0.2 })).toEqualTypeOf<{ detach(): void }>();
});

test("onRetry has axios' headers", () => {
  retryBudget(axios.create(), {
    onRetry: ({ headers }) => expectTypeOf(headers).toEqualTypeOf<AxiosHeaders>(),
  });
});
