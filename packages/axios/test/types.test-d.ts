import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import axios from "axios";
import { expectTypeOf, test } from "vitest";

test("the static axios and its instances are accepted", () => {
  expectTypeOf(retryBudget(axios)).toEqualTypeOf<{ detach(): void }>();
  retryBudget(axios.create(), { ratio: 0.2 });
  retryBudget(axios.create(), createRetryPolicy(), { getAdapter: axios.getAdapter });
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
