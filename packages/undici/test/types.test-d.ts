import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, request, stream } from "undici";
import { expectTypeOf, test } from "vitest";

test("the interceptor composes", () => {
  const dispatcher = new Agent().compose(retryBudget());
  new Agent().compose(retryBudget({ ratio: 0.2 }), retryBudget(createRetryPolicy()));
  expectTypeOf(dispatcher).toExtend<Dispatcher>();
});

test("a request takes its own options", () => {
  void request("http://a.example", { retryBudget: false });
  void request("http://a.example", { retryBudget: { idempotent: true, maxAttempts: 2, key: "a" } });
  // @ts-expect-error it is `false` or options
  void request("http://a.example", { retryBudget: "no" });
  // @ts-expect-error a misspelt option
  void request("http://a.example", { retryBudget: { attempts: 2 } });
  expectTypeOf(stream).toBeFunction();
});
