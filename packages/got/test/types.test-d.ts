import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import got, { type Got } from "got";
import { expectTypeOf, test } from "vitest";

test("it is material for extend, before and after other options and instances", () => {
  expectTypeOf(got.extend(retryBudget())).toExtend<Got>();
  expectTypeOf(got.extend(got.extend({ retry: { limit: 1 } }), retryBudget())).toExtend<Got>();
  got.extend(retryBudget({ ratio: 0.2 }), { retry: { limit: 3 } });
  got.extend(retryBudget(createRetryPolicy()));
  // @ts-expect-error no options
  retryBudget("no");
});

test("a request has options of its own in its context", () => {
  const client = got.extend(retryBudget());
  void client("https://api.example", { context: { retryBudget: false } });
  void client("https://api.example", { context: { retryBudget: { maxAttempts: 2 } } }).json();
  client.stream("https://api.example", { context: { retryBudget: { key: "items" } } });
});

test("a result keeps its type", () => {
  const client = got.extend(retryBudget());
  expectTypeOf(client("https://api.example").json<{ a: number }>()).resolves.toEqualTypeOf<{
    a: number;
  }>();
});

test("onRetry has got's headers, which it may set", () => {
  retryBudget({
    onRetry: ({ headers }) => {
      if (headers !== undefined) headers["authorization"] = "Bearer fresh";
    },
  });
});
