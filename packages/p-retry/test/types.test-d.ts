import { retryBudget } from "@retry-budget/p-retry";
import pRetry, { AbortError } from "p-retry";
import { expectTypeOf, test } from "vitest";

const retry = retryBudget({ pRetry, AbortError }, { ratio: 0.2 }, { key: "db" });

test("it gives what the operation gives", () => {
  expectTypeOf(retry(() => 1)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(retry(async (attempt) => String(attempt))).toEqualTypeOf<Promise<string>>();
});

test("it takes p-retry's options and its own", () => {
  void retry(() => 1, { retries: 2, retryBudget: { key: "other" } });
  void retry(() => 1, { retryBudget: false });
  // @ts-expect-error no option of p-retry's
  void retry(() => 1, { attempts: 2 });
  // @ts-expect-error no p-retry
  retryBudget(pRetry);
});
