import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { type Key, retryBudget } from "@retry-budget/p-retry";
import { errorOf, warningsDuring } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { describe, expect, test } from "vitest";
import { type Fixture, fixture, quick } from "./fixture.js";
import { hasContext } from "./p-retry-major.js";

const a = "https://a.example";
const b = "https://b.example";

class ServiceError extends Error {
  readonly origin: unknown;

  constructor(origin: unknown) {
    super(String(origin));
    this.origin = origin;
  }
}

const byOrigin: Key = (error) => (error as ServiceError).origin as string;

/** Originals, retries and balance by key. */
function books({ policy }: Pick<Fixture, "policy">): Record<string, number[]> {
  return Object.fromEntries(
    policy
      .snapshot()
      .map(({ origin, originals, retries, balance }) => [origin, [originals, retries, balance]]),
  );
}

const failAt = (...origins: unknown[]) => {
  return (attempt: number): string => {
    if (attempt <= origins.length) throw new ServiceError(origins[attempt - 1]);
    return "done";
  };
};

describe("a key that is known before", () => {
  test("may be one call's own: a URL or a name", async () => {
    const { retry, fail, policy } = fixture();
    await errorOf(retry(fail, { ...quick, retryBudget: { key: `${a}/path` } }));
    await errorOf(retry(fail, { ...quick, retryBudget: { key: new URL(b) } }));
    await errorOf(retry(fail, { ...quick, retryBudget: { key: "queue" } }));
    expect(policy.snapshot().map(({ origin }) => origin)).toEqual([a, b, "queue"]);
  });

  test("is the adapter's where a call has none, and `p-retry` where neither has", async () => {
    const { retry, policy } = fixture({}, new URL(a));
    await retry(() => 1, { retryBudget: {} });
    await retryBudget({ pRetry, AbortError }, policy)(() => 1);
    expect(policy.snapshot().map(({ origin }) => origin)).toEqual([a, "p-retry"]);
  });
});

describe("a key that is a function of the error", () => {
  test("pr-18: charges each origin for its own failures", async () => {
    const state = fixture({ capacity: 2, ratio: 0 }, byOrigin);
    for (let call = 0; call < 4; call++) await errorOf(state.retry(failAt(a, a, a, a), quick));
    expect(await state.retry(failAt(b), quick)).toBe("done");
    expect(books(state)).toEqual({ "p-retry": [0, 0, 2], [a]: [4, 2, 0], [b]: [1, 1, 1] });
  });

  test("says of an exhausted budget which it is", async () => {
    const { retry } = fixture({ initial: 0 }, byOrigin);
    const error = await errorOf(retry(failAt(a), quick));
    expect(refusalOf(error)).toMatchObject({ refusal: "budget", origin: a });
  });

  test("charges the attempts of one call to where each has failed, and deposits once", async () => {
    const state = fixture({ initial: 5 }, byOrigin);
    expect(await state.retry(failAt(a, b), quick)).toBe("done");
    expect(books(state)).toMatchObject({ [a]: [1, 1, 4], [b]: [0, 1, 4] });
  });

  test("leaves with the default key what does not fail", async () => {
    const state = fixture({ initial: 0, ratio: 1 }, byOrigin);
    expect(await state.retry(() => "done")).toBe("done");
    expect(books(state)).toEqual({ "p-retry": [1, 0, 1] });
    // What another origin's successes have earned is nothing that a failing one may spend.
    await errorOf(state.retry(failAt(a, a, a), { ...quick, retries: 1 }));
    expect(books(state)).toMatchObject({ "p-retry": [1, 0, 1], [a]: [1, 1, 0] });
  });

  test("may be one call's own, and goes before the adapter's", async () => {
    const state = fixture();
    const codes = await warningsDuring(async () => {
      await state.retry(failAt(a), { ...quick, retryBudget: { key: byOrigin } });
      const other = { ...quick, retryBudget: { key: () => "other", maxAttempts: 1 } };
      await errorOf(state.retry(failAt(a), other));
    });
    expect(codes).toEqual([]);
    expect(books(state)).toMatchObject({ [a]: [1, 1, 9], other: [1, 0, 10] });
    const second = fixture({}, byOrigin);
    await second.retry(failAt(a), { ...quick, retryBudget: { key: "queue" } });
    expect(books(second)).toEqual({ queue: [1, 1, 9] });
  });

  test("is told of the error that an AbortError wraps, which costs nothing", async () => {
    const state = fixture({}, byOrigin);
    const operation = () => Promise.reject(new AbortError(new ServiceError(a)));
    await errorOf(state.retry(operation, quick));
    expect(books(state)).toMatchObject({ [a]: [1, 0, 10] });
  });

  const broken: [string, Key][] = [
    ["throws", () => Object(undefined).missing.member],
    ["gives a number", (() => 42) as never],
    ["gives null", (() => null) as never],
    ["gives an empty text", () => ""],
    ["gives no URL", () => "http://a b"],
    ["is asynchronous", (async () => a) as never],
    ["rejects", (() => Promise.reject(new Error("async"))) as never],
    [
      "gives what throws when it is read",
      (() => new Proxy({}, { getPrototypeOf: () => Object(undefined).no.no })) as never,
    ],
  ];

  test.each(broken)(
    "that %s means the default one: no failure, no free retry, one warning",
    async (_, key) => {
      const state = fixture({ initial: 1, ratio: 0 }, key);
      const error = new ServiceError(a);
      const operation = (): never => {
        throw error;
      };
      const codes = await warningsDuring(async () => {
        expect(await errorOf(state.retry(operation, quick))).toBe(error);
        expect(await errorOf(state.retry(operation, quick))).toBe(error);
      });
      expect(books(state)).toEqual({ "p-retry": [2, 1, 0] });
      expect(codes).toEqual(["RETRY_BUDGET_KEY"]);
    },
  );

  test("that does not know means the default one, without a warning", async () => {
    const state = fixture({}, () => undefined);
    const codes = await warningsDuring(() => state.retry(failAt(a), quick));
    expect([books(state), codes]).toEqual([{ "p-retry": [1, 1, 9] }, []]);
  });

  test("is not asked about what is no error", async () => {
    const asked: unknown[] = [];
    const state = fixture({}, (error) => {
      asked.push(error);
      return a;
    });
    await errorOf(state.retry(() => Promise.reject("text"), quick));
    expect([asked, books(state)]).toEqual([[], { "p-retry": [1, 0, 10] }]);
  });

  test("is not asked about an abort; the original was one all the same", async () => {
    const asked: unknown[] = [];
    const state = fixture({}, (error) => {
      asked.push(error);
      return a;
    });
    const controller = new AbortController();
    const operation = (): Promise<string> => {
      controller.abort(new Error("enough"));
      return Promise.resolve("too late");
    };
    await errorOf(state.retry(operation, { ...quick, signal: controller.signal }));
    expect([asked, books(state)]).toEqual([[], { "p-retry": [1, 0, 10] }]);
  });

  // p-retry 7 and later wait for the attempt.
  test.skipIf(hasContext)("is not waited for where p-retry 5 and 6 end in flight", async () => {
    const state = fixture({}, byOrigin);
    const controller = new AbortController();
    const hang = (): Promise<never> => new Promise(() => undefined);
    const ended = errorOf(state.retry(hang, { ...quick, signal: controller.signal }));
    controller.abort(new Error("enough"));
    expect((await ended).message).toBe("enough");
    expect(books(state)).toEqual({ "p-retry": [1, 0, 10] });
  });

  test("may begin another call of the same budget, which is inside and so no original", async () => {
    const state: Fixture = fixture({}, (error) => {
      void state.retry(() => 1);
      return byOrigin(error);
    });
    await state.retry(failAt(a), quick);
    expect(books(state)).toEqual({ "p-retry": [0, 0, 10], [a]: [1, 1, 9] });
  });

  test("that invents names mints nothing beyond the budgets that may be held", async () => {
    let names = 0;
    const state = fixture({ maxOrigins: 3, capacity: 1, ratio: 0 }, () => `name-${names++}`);
    let retries = 0;
    state.policy.subscribe(({ type }) => {
      if (type === "retry") retries++;
    });
    for (let call = 0; call < 50; call++) await errorOf(state.retry(failAt(a, a, a), quick));
    expect(retries).toBe(3);
  });

  test("holds the deadline from the call's begin, not from the first failure", async () => {
    const { retry } = fixture({ deadline: 50 }, byOrigin);
    const operation = async (): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      throw new ServiceError(a);
    };
    expect(refusalOf(await errorOf(retry(operation, quick)))).toMatchObject({
      refusal: "deadline",
    });
  });
});

describe("options of a call that are a mistake", () => {
  test.each([
    ["a key of 42", { key: 42 }],
    ["a misspelt name beside a function", { key: byOrigin, maxAttempt: 2 }],
    ["a text", "text"],
    ["null", null],
    ["true", true],
    [
      "a getter that throws",
      Object.defineProperty({}, "key", { enumerable: true, get: () => Object(undefined).no.no }),
    ],
  ])("%s fails nothing", async (_, retryBudget) => {
    const { retry } = fixture();
    expect(await retry(failAt(a), { ...quick, retryBudget: retryBudget as never })).toBe("done");
  });

  test("a function beside other options leaves them in force", async () => {
    const { retry, fail, attempts } = fixture();
    await errorOf(retry(fail, { ...quick, retryBudget: { key: byOrigin, maxAttempts: 2 } }));
    expect(attempts()).toBe(2);
  });

  test("options that are null are none", async () => {
    const { retry } = fixture({}, byOrigin);
    expect(await retry(() => "done", null as never)).toBe("done");
    expect(await retry(() => "done", undefined)).toBe("done");
  });
});

test("a policy may be shared by adapters that are given functions", async () => {
  const policy = createRetryPolicy({ initial: 1, ratio: 0 });
  const [one, two] = [byOrigin, (error: Error) => error.message].map((key) =>
    retryBudget({ pRetry, AbortError }, policy, { key }),
  );
  expect(await one?.(failAt(a), quick)).toBe("done");
  expect(refusalOf(await errorOf(two?.(failAt(a), quick) as never))).toMatchObject({ origin: a });
});
