import { Writable } from "node:stream";
import { createRetryPolicy } from "@retry-budget/core";
import { requestOptions, retryBudget } from "@retry-budget/undici";
import { globalRetryBudget } from "@retry-budget/undici/global";
import { Agent, type Dispatcher, request, stream } from "undici";
import { expectTypeOf, test } from "vitest";

test("the interceptors compose", () => {
  const dispatcher = new Agent().compose(retryBudget());
  new Agent().compose(retryBudget({ ratio: 0.2 }), retryBudget(createRetryPolicy()));
  new Agent().compose(retryBudget(), requestOptions(false));
  expectTypeOf(dispatcher).toExtend<Dispatcher>();
});

test("a request takes its own options", () => {
  void request("http://a.example", { retryBudget: false });
  void request("http://a.example", { retryBudget: { idempotent: true, maxAttempts: 2, key: "a" } });
  void request("http://a.example", { retryBudget: { key: new URL("http://b.example") } });
  void request("http://a.example", { retryBudget: { body: async () => "made anew" } });
  void stream(
    "http://a.example",
    { method: "GET", retryBudget: { maxAttempts: 2 } },
    () => new Writable(),
  );
  // @ts-expect-error it is `false` or options
  void request("http://a.example", { retryBudget: "no" });
  // @ts-expect-error a misspelt option
  void request("http://a.example", { retryBudget: { attempts: 2 } });
  // @ts-expect-error the body is made by a function
  void request("http://a.example", { retryBudget: { body: "once" } });
});

test("the built-in fetch takes the dispatcher of the global budget", () => {
  const { dispatcher } = globalRetryBudget();
  void fetch("http://a.example", { dispatcher });
});
