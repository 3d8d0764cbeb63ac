import { createRetryPolicy, type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import { type BudgetedOptions, retryBudget } from "@retry-budget/p-retry";
import { errorOf, refusingUrl, serve, status } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { describe, expect, test } from "vitest";

function fixture(options: RetryPolicyOptions = {}) {
  const policy = createRetryPolicy(options);
  const retry = retryBudget({ pRetry, AbortError }, policy, { key: "db" });
  let attempts = 0;
  const fail = (): never => {
    attempts++;
    throw new Error(`E${attempts}`);
  };
  const net = (): unknown =>
    policy.snapshot().map(({ originals, retries, balance }) => [originals, retries, balance]);
  return { policy, retry, fail, net, attempts: () => attempts };
}

const quick: BudgetedOptions = { retries: 5, minTimeout: 2 };

test("pr-01: three attempts, one deposit, two tokens, and the last error", async () => {
  const { retry, fail, net, policy } = fixture();
  expect((await errorOf(retry(fail, quick))).message).toBe("E3");
  expect(net()).toEqual([[1, 2, 8]]);
  expect(policy.snapshot()).toMatchObject([{ origin: "db", refusals: { attempts: 1 } }]);
});

test("pr-02: with an empty budget the very error object comes at once, not after the wait", async () => {
  const { retry, net } = fixture({ initial: 0 });
  const error = new Error("always the same");
  const begin = performance.now();
  const got = await errorOf(
    retry(
      () => {
        throw error;
      },
      { retries: 5, minTimeout: 5000 },
    ),
  );
  expect(got).toBe(error);
  expect(performance.now() - begin).toBeLessThan(4000);
  expect(refusalOf(error)).toEqual({ refusal: "budget", origin: "db", attempts: 1, balance: 0 });
  expect(net()).toEqual([[1, 0, 0]]);
});

test("pr-03: a shouldRetry of the user's that says no is final and free (#45, #46, #67, #70)", async () => {
  const { retry, fail, net } = fixture();
  const error = await errorOf(retry(fail, { ...quick, shouldRetry: async () => false }));
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-04: the failure after the last of p-retry's own retries is free (#92, #93, #94)", async () => {
  const { retry, fail, net } = fixture();
  const error = await errorOf(retry(fail, { ...quick, retries: 1 }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 2 });
  expect(net()).toEqual([[1, 1, 9]]);
});

test("pr-05: no retries are one attempt (#81)", async () => {
  const { retry, fail, net } = fixture();
  await errorOf(retry(fail, { ...quick, retries: 0 }));
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-06: an AbortError rejects with what it wraps and costs nothing (#13)", async () => {
  const { retry, net } = fixture();
  const error = new Error("stop");
  const got = await errorOf(
    retry(() => {
      throw new AbortError(error);
    }, quick),
  );
  expect(got).toBe(error);
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-07: a bug in the operation is one attempt and costs nothing", async () => {
  const { retry, net } = fixture();
  const bug = (): unknown => (undefined as unknown as { x: number }).x;
  expect(await errorOf(retry(bug, quick))).toBeInstanceOf(TypeError);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-08: what classify calls permanent costs nothing and is no refusal of the budget", async () => {
  const { retry, net, policy } = fixture({ classify: () => "permanent" });
  const denied = Object.assign(new Error("bad request"), { status: 400 });
  await errorOf(retry(() => Promise.reject(denied), quick));
  expect(net()).toEqual([[1, 0, 10]]);
  expect(policy.snapshot()).toMatchObject([{ refusals: { permanent: 1 } }]);
});

test("pr-09: an abort in the delay rejects with the reason, gives the token back, and ends the attempts (#53)", async () => {
  const { retry, fail, net, attempts } = fixture();
  const controller = new AbortController();
  const reason = new Error("enough");
  const options: BudgetedOptions = {
    retries: 5,
    minTimeout: 10_000,
    signal: controller.signal,
    onFailedAttempt: () => {
      setTimeout(() => controller.abort(reason), 20);
    },
  };
  expect(await errorOf(retry(fail, options))).toBe(reason);
  expect([attempts(), net()]).toEqual([1, [[1, 0, 10]]]);
});

test("an abort while the attempt runs refuses uncharged, with the reason, also where the attempt fails by itself", async () => {
  const { retry, net } = fixture();
  const controller = new AbortController();
  const reason = new Error("enough");
  const operation = (): never => {
    controller.abort(reason);
    throw new Error("own failure");
  };
  expect(await errorOf(retry(operation, { ...quick, signal: controller.signal }))).toBe(reason);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-10: an onFailedAttempt that throws rejects with that, and nothing is spent (#27, #30)", async () => {
  const { retry, fail, net } = fixture();
  const mine = new Error("cb");
  const onFailedAttempt = (): never => {
    throw mine;
  };
  expect(await errorOf(retry(fail, { ...quick, onFailedAttempt }))).toBe(mine);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-11: an asynchronous onFailedAttempt is awaited before the next attempt (#27)", async () => {
  const { retry } = fixture();
  const log: string[] = [];
  const operation = (attempt: number): never => {
    log.push(`attempt ${attempt}`);
    throw new Error("E");
  };
  const onFailedAttempt = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push("told");
  };
  await errorOf(retry(operation, { ...quick, onFailedAttempt }));
  expect(log).toEqual(["attempt 1", "told", "attempt 2", "told", "attempt 3", "told"]);
});

test("pr-12: callbacks that are undefined are no callbacks (#36, #82)", async () => {
  const { retry, fail, net } = fixture();
  const none = {
    onFailedAttempt: undefined,
    shouldRetry: undefined,
    shouldConsumeRetry: undefined,
  };
  expect((await errorOf(retry(fail, { ...quick, ...none } as never))).message).toBe("E3");
  expect(net()).toEqual([[1, 2, 8]]);
});

test("pr-13: a success on the second attempt gives nothing back", async () => {
  const { retry, net } = fixture();
  const operation = (attempt: number): string => {
    if (attempt === 1) throw new Error("E");
    return "done";
  };
  expect(await retry(operation, quick)).toBe("done");
  expect(net()).toEqual([[1, 1, 9]]);
});

test("pr-14: fetch does not reject on a 503: plain it is one hit, with a check three", async () => {
  const server = await serve(status(503));
  const { retry, net } = fixture();
  expect((await retry(() => fetch(server.url), quick)).status).toBe(503);
  expect(server.hits).toHaveLength(1);
  const checked = async (): Promise<Response> => {
    const response = await fetch(server.url);
    if (response.status === 503) throw new Error("unavailable");
    return response;
  };
  await errorOf(retry(checked, quick));
  expect([server.hits.length, net()]).toEqual([4, [[2, 2, 8]]]);
});

test("pr-15: a refused connection is a network TypeError: three attempts (#37, #51)", async () => {
  const url = await refusingUrl();
  const { retry, net } = fixture();
  expect(await errorOf(retry(() => fetch(url), quick))).toMatchObject({ message: "fetch failed" });
  expect(net()).toEqual([[1, 2, 8]]);
});

test("pr-16: callbacks are told what bare p-retry tells them (#11)", async () => {
  const { retry, fail } = fixture();
  const told = async (run: typeof pRetry): Promise<unknown> => {
    const contexts: unknown[] = [];
    const options = {
      ...quick,
      retries: 2,
      onFailedAttempt: ({ error: _, ...rest }: object & { error?: unknown }) => {
        contexts.push(rest);
      },
    };
    await errorOf(run(fail, options as never));
    return contexts;
  };
  expect(await told(retry as typeof pRetry)).toEqual(await told(pRetry));
});

test("pr-17: an AbortError thrown by onFailedAttempt is what bare p-retry makes of it", async () => {
  const { retry, fail } = fixture();
  const options = {
    ...quick,
    onFailedAttempt: () => {
      throw new AbortError(new Error("inner"));
    },
  };
  const [ours, theirs] = [
    await errorOf(retry(fail, options)),
    await errorOf(pRetry(fail, options)),
  ];
  expect([ours.name, ours.message]).toEqual([theirs.name, theirs.message]);
});

test("pr-19: retries that p-retry does not count are asked for all the same (#96)", async () => {
  const { retry, fail, attempts } = fixture({ capacity: 1, ratio: 0 });
  const error = await errorOf(retry(fail, { ...quick, shouldConsumeRetry: () => false }));
  expect([attempts(), error.message]).toEqual([2, "E2"]);
  expect(refusalOf(error)).toMatchObject({ refusal: "budget" });
});

test("attempts that p-retry begins without asking anybody are asked for, too", async () => {
  const { retry, policy } = fixture({ capacity: 1, ratio: 0 });
  let attempts = 0;
  const bug = (): never => {
    attempts++;
    throw new TypeError(`bug ${attempts}`);
  };
  // p-retry 7 repeats a TypeError for ever, unasked, if it is not to be counted.
  const error = await errorOf(retry(bug, { ...quick, shouldConsumeRetry: () => false }));
  expect([attempts, error.message]).toEqual([2, "bug 2"]);
  expect(policy.snapshot()).toMatchObject([{ retries: 1, refusals: { budget: 1 } }]);
});

test("pr-20: a delay beyond every timer does not fire at once", async () => {
  const { retry, fail, attempts } = fixture();
  const controller = new AbortController();
  const warnings: string[] = [];
  const listener = ({ name }: Error): number => warnings.push(name);
  process.on("warning", listener);
  const error = errorOf(retry(fail, { retries: 5, minTimeout: 3e9, signal: controller.signal }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(attempts()).toBe(1);
  controller.abort();
  await error;
  process.off("warning", listener);
  expect(warnings).toEqual([]);
});

describe("keys", () => {
  test("one call may have its own: a URL or a name", async () => {
    const { retry, fail, policy } = fixture();
    await errorOf(retry(fail, { ...quick, retryBudget: { key: "https://a.example/path" } }));
    await errorOf(retry(fail, { ...quick, retryBudget: { key: "queue" } }));
    expect(policy.snapshot().map(({ origin }) => origin)).toEqual(["https://a.example", "queue"]);
  });

  test("without any the calls share one", async () => {
    const policy = createRetryPolicy();
    await retryBudget({ pRetry, AbortError }, policy)(() => 1);
    expect(policy.snapshot()).toMatchObject([{ origin: "p-retry" }]);
  });
});

test("the longest that p-retry may wait is held against the deadline", async () => {
  const { retry, fail, net } = fixture({ deadline: 3000 });
  const error = await errorOf(retry(fail, { retries: 5, minTimeout: 2000, randomize: true }));
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
  expect(net()).toEqual([[1, 0, 10]]);
});

test("when onRetry throws the last attempt's very error rejects", async () => {
  const { retry, net } = fixture({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = new Error("mine");
  expect(await errorOf(retry(() => Promise.reject(error), quick))).toBe(error);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("an abort while onRetry runs rejects with the reason, and the token is back", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const onRetry = (): Promise<void> => {
    setTimeout(() => controller.abort(reason), 5);
    return new Promise(() => undefined);
  };
  const { retry, fail, net } = fixture({ onRetry });
  expect(await errorOf(retry(fail, { ...quick, signal: controller.signal }))).toBe(reason);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("many calls may share one signal: there is a listener only while a retry waits", async () => {
  const warnings: string[] = [];
  const listener = ({ name }: Error): number => warnings.push(name);
  process.on("warning", listener);
  const { retry } = fixture();
  const { signal } = new AbortController();
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
  await Promise.all(Array.from({ length: 20 }, () => retry(pause, { ...quick, signal })));
  process.off("warning", listener);
  expect(warnings).toEqual([]);
});

test("a shouldRetry that is null or uses this, and options that are null, are as with bare p-retry", async () => {
  const { retry } = fixture();
  const once = (attempt: number): string => {
    if (attempt === 1) throw new Error("E");
    return "done";
  };
  function byRetries(this: { retries?: number }): boolean {
    return this.retries === 5;
  }
  for (const shouldRetry of [null, byRetries]) {
    expect(await retry(once, { ...quick, shouldRetry: shouldRetry as never })).toBe("done");
  }
  expect(await retry(() => "done", null as never)).toBe("done");
});

test("retries that p-retry does not count do not use up its limit", async () => {
  const { retry } = fixture({ maxAttempts: 10 });
  let free = 4;
  const operation = (attempt: number): number => {
    if (attempt < 5) throw new Error("E");
    return attempt;
  };
  const options = { retries: 1, minTimeout: 2, shouldConsumeRetry: () => free-- <= 0 };
  expect(await retry(operation, options)).toBe(5);
});

test("no attempt begins after the deadline: a factor of 0, no longest wait, a slow callback", async () => {
  const slow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 80));
  for (const options of [
    { factor: 0, minTimeout: 60 },
    { minTimeout: 200, maxTimeout: null },
    { minTimeout: 1, onFailedAttempt: slow },
  ]) {
    const { retry, attempts, fail } = fixture({ deadline: 50 });
    const error = await errorOf(retry(fail, { retries: 5, ...options } as never));
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
    expect(attempts()).toBe(1);
  }
});

test("what is no function is named as by p-retry", async () => {
  const { retry } = fixture();
  const [ours, theirs] = [await errorOf(retry(1 as never)), await errorOf(pRetry(1 as never))];
  expect(ours.message).toBe(theirs.message);
});

test("opting out gives bare p-retry, and nothing is counted", async () => {
  const { retry, fail, net, attempts } = fixture({ initial: 0 });
  await errorOf(retry(fail, { ...quick, retryBudget: false }));
  expect([attempts(), net()]).toEqual([6, []]);
});

test("p-retry's own mistakes are p-retry's own errors, and nothing is counted as sent", async () => {
  const { retry, net } = fixture();
  const message = await errorOf(retry(() => 1, { retries: -1 })).then((error) => error.message);
  expect(message).toBe((await errorOf(pRetry(() => 1, { retries: -1 }))).message);
  const text = await errorOf(retry(() => 1, { minTimeout: "5" as never }));
  expect(text.message).toContain("minTimeout");
  expect(net()).toEqual([[0, 0, 10]]);
});

test("the caller's options object is not changed", async () => {
  const { retry, fail } = fixture();
  const options = Object.freeze({ ...quick, retryBudget: Object.freeze({}) });
  await errorOf(retry(fail, options));
  expect(Object.keys(options)).toEqual(["retries", "minTimeout", "retryBudget"]);
});

test("no listener stays on a signal that many calls share", async () => {
  const { retry, fail } = fixture();
  const { signal } = new AbortController();
  let listeners = 0;
  const counted = {
    aborted: false,
    throwIfAborted: () => signal.throwIfAborted(),
    addEventListener: () => {
      listeners++;
    },
    removeEventListener: () => {
      listeners--;
    },
  };
  await errorOf(retry(fail, { ...quick, signal: counted as never }));
  expect(listeners).toBe(0);
});

test.each([
  [undefined, "`module.pRetry`"],
  ["p-retry", "`module.pRetry`"],
  [pRetry, "`module.pRetry`"],
  [{ pRetry }, "`module.AbortError`"],
  [{ pRetry: "p", AbortError }, "`module.pRetry`"],
])("%o is no p-retry: a TypeError at set-up that says what to write", (module, field) => {
  expect(() => retryBudget(module as never)).toThrow(TypeError);
  expect(() => retryBudget(module as never)).toThrow(`Expected ${field}`);
  expect(() => retryBudget(module as never)).toThrow("retryBudget({ pRetry, AbortError })");
});

test.each([[""], [42], [null], ["http://a b"]])("a key of %j is a TypeError at set-up", (key) => {
  const attempt = (): unknown => retryBudget({ pRetry, AbortError }, {}, { key: key as never });
  expect(attempt).toThrow("Expected `settings.key` to be a URL or a name, got");
});

test("bad options are a TypeError at set-up", () => {
  expect(() => retryBudget({ pRetry, AbortError }, { ratio: -1 })).toThrow("`ratio`");
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget({ pRetry, AbortError }, {}, settings as never)).toThrow(TypeError);
  },
);
