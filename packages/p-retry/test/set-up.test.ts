import { retryBudget } from "@retry-budget/p-retry";
import { errorOf } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";
import { hasContext } from "./p-retry-major.js";

test.each([
  [undefined, "`module.pRetry`"],
  ["p-retry", "`module.pRetry`"],
  [pRetry, "`module.pRetry`"],
  [{ pRetry }, "`module.AbortError`"],
  [{ pRetry: "p", AbortError }, "`module.pRetry`"],
  [{ pRetry: AbortError, AbortError: pRetry }, "`module.AbortError`"],
  [{ pRetry, AbortError: () => undefined }, "`module.AbortError`"],
  [{ pRetry, AbortError: null }, "`module.AbortError`"],
])("%o is no p-retry: a TypeError at set-up that says what to write", (module, field) => {
  expect(() => retryBudget(module as never)).toThrow(TypeError);
  expect(() => retryBudget(module as never)).toThrow(`Expected ${field}`);
  expect(() => retryBudget(module as never)).toThrow("retryBudget({ pRetry, AbortError })");
});

test.each([[""], [42], [null], ["http://a b"], [{}]])(
  "a key of %j is a TypeError at set-up",
  (key) => {
    const attempt = (): unknown => retryBudget({ pRetry, AbortError }, {}, { key: key as never });
    expect(attempt).toThrow("Expected `settings.key` to be a URL or a name, got");
  },
);

test("bad options are a TypeError at set-up", () => {
  expect(() => retryBudget({ pRetry, AbortError }, { ratio: -1 })).toThrow("`ratio`");
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget({ pRetry, AbortError }, {}, settings as never)).toThrow(TypeError);
  },
);

test("what is no function is named as by p-retry", async () => {
  const { retry } = fixture();
  const [ours, theirs] = [await errorOf(retry(1 as never)), await errorOf(pRetry(1 as never))];
  expect(ours.message).toBe(theirs.message);
});

test.runIf(hasContext)(
  "p-retry's own mistakes are p-retry's own errors, and nothing is counted as sent, from p-retry 7 on",
  async () => {
    const { retry, net } = fixture();
    for (const options of [{ retries: -1 }, { minTimeout: "5" as never }, { forever: true }]) {
      const theirs = await errorOf(pRetry(() => 1, options as never));
      expect((await errorOf(retry(() => 1, options as never))).message).toBe(theirs.message);
    }
    expect(net()).toEqual([[0, 0, 10]]);
  },
);

test.skipIf(hasContext)(
  "p-retry's own mistakes are p-retry's own errors: the one that 5 and 6 know",
  async () => {
    const { retry, net } = fixture();
    const options = { minTimeout: 5, maxTimeout: 2 };
    const theirs = await errorOf(pRetry(() => 1, options));
    expect((await errorOf(retry(() => 1, options))).message).toBe(theirs.message);
    expect(net()).toEqual([[0, 0, 10]]);
  },
);

test("options that throw when they are read reject, as with bare p-retry, and throw nothing at once", async () => {
  const options = Object.defineProperty({}, "retries", {
    enumerable: true,
    get: () => {
      throw new Error("getter");
    },
  });
  const { retry } = fixture();
  expect((await errorOf(pRetry(() => 1, options))).message).toBe("getter");
  expect((await errorOf(retry(() => 1, options))).message).toBe("getter");
});

test("the caller's options object is not changed", async () => {
  const { retry, fail } = fixture();
  const key = (): string => "db";
  const options = Object.freeze({ ...quick, retryBudget: Object.freeze({ key }) });
  await errorOf(retry(fail, options));
  expect(options).toEqual({ ...quick, retryBudget: { key } });
});

test("p-retry is handed none of our options", async () => {
  const seen: object[] = [];
  const spy: typeof pRetry = (input, options) => {
    seen.push(options ?? {});
    return pRetry(input, options);
  };
  const retry = retryBudget({ pRetry: spy, AbortError }, {});
  await retry(() => 1, { ...quick, retryBudget: { maxAttempts: 2 } });
  await retry(() => 1, { ...quick, retryBudget: false });
  for (const options of seen) expect(options).not.toHaveProperty("retryBudget");
  expect(seen).toHaveLength(2);
});

test("an AbortError of another copy of p-retry does not show, though p-retry does not know it", async () => {
  class Foreign extends Error {
    readonly originalError: Error;

    constructor(error: Error) {
      super(error.message);
      this.originalError = error;
    }
  }
  const retry = retryBudget(
    { pRetry, AbortError: Foreign },
    { onRetry: () => Promise.reject(new Error("hook")) },
  );
  const error = new Error("mine");
  let attempts = 0;
  const operation = (): Promise<never> => {
    attempts++;
    return Promise.reject(error);
  };
  expect(await errorOf(retry(operation, quick))).toBe(error);
  expect(attempts).toBe(1);
});
