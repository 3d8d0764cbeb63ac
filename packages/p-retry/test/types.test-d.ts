import { type BudgetedOptions, retryBudget } from "@retry-budget/p-retry";
import pRetry, { AbortError, type Options } from "p-retry";
import { expectTypeOf, test } from "vitest";

// Checked against the types of each major: `npm run matrix -- p-retry`.
const retry = retryBudget({ pRetry, AbortError }, { ratio: 0.2 }, { key: "db" });

test("it gives what the operation gives", () => {
  expectTypeOf(retry(() => 1)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(retry(async (attempt) => String(attempt))).toEqualTypeOf<Promise<string>>();
});

test("it takes the options of the p-retry that it was given, and its own", () => {
  expectTypeOf(retry).parameter(1).toEqualTypeOf<BudgetedOptions<Options> | undefined>();
  void retry(() => 1, { retries: 2, retryBudget: { key: "other", maxAttempts: 2 } });
  void retry(() => 1, { retryBudget: false });
  void retry(() => 1, { retryBudget: { key: new URL("https://api.example.com") } });
  void retry(() => 1, { retryBudget: { key: ({ message }) => message } });
  void retry(() => 1, { retryBudget: { key: () => undefined } });
  const told: unknown[] = [];
  const onFailedAttempt: NonNullable<Options["onFailedAttempt"]> = (failure) => {
    told.push(failure.attemptNumber.toFixed(), failure.retriesLeft.toFixed());
  };
  void retry(() => 1, { onFailedAttempt });
  // @ts-expect-error no option of p-retry's
  void retry(() => 1, { attempts: 2 });
  // @ts-expect-error not of this type
  void retry(() => 1, { retries: "2" });
  // @ts-expect-error no key
  void retry(() => 1, { retryBudget: { key: () => 42 } });
  // @ts-expect-error no p-retry
  retryBudget(pRetry);
});

test("it may be given where a pRetry is expected", () => {
  expectTypeOf(retry).toExtend<typeof pRetry>();
});

test("makeRetriable keeps the parameters, the result and `this`", () => {
  const original = async (id: number, name?: string): Promise<string> => `${id} ${name}`;
  const load = retry.makeRetriable(original);
  expectTypeOf(load).parameters.toEqualTypeOf<Parameters<typeof original>>();
  expectTypeOf(load).returns.toEqualTypeOf<Promise<string>>();
  class Repository {
    readonly rows = [1];
  }
  function count(this: Repository): number {
    return this.rows.length;
  }
  const counted = retry.makeRetriable(count, { retries: 2, retryBudget: { key: "db" } });
  expectTypeOf(counted).thisParameter.toEqualTypeOf<Repository>();
  // @ts-expect-error no parameter of its
  void load("1");
});
