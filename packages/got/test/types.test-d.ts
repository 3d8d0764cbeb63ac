import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import got, { type Got } from "got";
import { expectTypeOf, test } from "vitest";

test("it is material for extend", () => {
  expectTypeOf(got.extend(retryBudget())).toExtend<Got>();
  got.extend(retryBudget({ ratio: 0.2 }), { retry: { limit: 3 } });
  got.extend(retryBudget(createRetryPolicy()));
  // @ts-expect-error no options
  retryBudget("no");
});
