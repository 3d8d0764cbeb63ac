import { refusalOf } from "@retry-budget/core";
import { errorOf, until } from "@retry-budget/testkit";
import pRetry from "p-retry";
import { expect, onTestFinished, test } from "vitest";
import { fixture, quick, warningNamesDuring } from "./fixture.js";
import { hasContext, pRetryMajor } from "./p-retry-major.js";

test.each([
  ["minTimeout", { minTimeout: 3e9 }],
  ["both bounds", { minTimeout: 3e9, maxTimeout: 4e9 }],
  ["factor", { minTimeout: 1e6, factor: 1e6 }],
])("pr-20: a delay beyond every timer does not fire at once, by %s", async (_, given) => {
  const { retry, attempts, net } = fixture({ initial: 2 });
  const controller = new AbortController();
  // The growth begins with the second wait.
  const fail = (attempt: number): never => {
    if (attempt > 2) throw new Error("it has fired");
    throw new Error("E");
  };
  const names = await warningNamesDuring(async () => {
    const options = { retries: 5, ...given, signal: controller.signal };
    const ended = errorOf(retry(fail, options));
    await until(() => net()[0]?.[2] === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort(new Error("enough"));
    expect((await ended).message).toBe("enough");
  });
  expect([attempts(), names]).toEqual([0, []]);
});

test("the waits are p-retry's own, and the policy's backoff is not used", async () => {
  const waits = async (run: typeof pRetry): Promise<unknown[]> => {
    const delays: unknown[] = [];
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((callback: () => void, delay: number) => {
      delays.push(delay);
      return setTimeout(callback, 0);
    }) as never;
    onTestFinished(() => {
      globalThis.setTimeout = setTimeout;
    });
    const options = { retries: 3, minTimeout: 1000, factor: 3, maxTimeout: 5000 };
    await errorOf(run(() => Promise.reject(new Error("E")), options));
    globalThis.setTimeout = setTimeout;
    return delays;
  };
  const { retry } = fixture({ maxAttempts: 4, backoff: () => 7 });
  expect(await waits(retry)).toEqual([1000, 3000, 5000]);
  expect(await waits(pRetry)).toEqual([1000, 3000, 5000]);
});

test("the longest that p-retry may wait is held against the deadline", async () => {
  const { retry, fail, net } = fixture({ deadline: 1000 });
  const error = await errorOf(retry(fail, { retries: 5, minTimeout: 2000, randomize: true }));
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
  expect(net()).toEqual([[1, 0, 10]]);
});

test.runIf(pRetryMajor >= 8)(
  "the delay that p-retry tells is held against the deadline, and is in the event, from p-retry 8 on",
  async () => {
    const { retry, fail, policy } = fixture({ deadline: 20_000 });
    const delays: unknown[] = [];
    const told: unknown[] = [];
    policy.subscribe((event) => event.type === "retry" && delays.push(event.delay));
    const onFailedAttempt = (failure: object): void => void told.push(Object(failure).retryDelay);
    await errorOf(retry(fail, { ...quick, randomize: true, onFailedAttempt }));
    expect(delays).toEqual(told.slice(0, 2));
    // What is not counted is not waited for.
    await errorOf(
      retry(fail, { retries: 5, minTimeout: 60_000, shouldConsumeRetry: () => false } as never),
    );
    expect(delays.slice(2)).toEqual([0, 0]);
  },
);

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

test("when onRetry throws the last attempt's very error rejects", async () => {
  const { retry, net } = fixture({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = new Error("mine");
  expect(await errorOf(retry(() => Promise.reject(error), quick))).toBe(error);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("onRetry may wait for what a server has asked for, and an abort ends that", async () => {
  const waited: number[] = [];
  const onRetry = async ({ outcome }: { outcome: { error?: unknown } }): Promise<void> => {
    const { retryAfter = 0 } = outcome.error as { retryAfter?: number };
    await new Promise((resolve) => setTimeout(resolve, retryAfter));
    waited.push(retryAfter);
  };
  const { retry } = fixture({ onRetry });
  const operation = (attempt: number): string => {
    if (attempt === 1) throw Object.assign(new Error("E"), { retryAfter: 30 });
    return "done";
  };
  expect(await retry(operation, quick)).toBe("done");
  expect(waited).toEqual([30]);
});

test("maxRetryTime ends the retries as it does bare, and the token is back", async () => {
  const ends = async (run: typeof pRetry): Promise<unknown> => {
    let attempts = 0;
    const operation = async (): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      throw new Error(`E${++attempts}`);
    };
    const error = await errorOf(run(operation, { retries: 5, minTimeout: 2, maxRetryTime: 30 }));
    return [attempts, error.message];
  };
  const { retry, net } = fixture();
  expect(await ends(retry)).toEqual(await ends(pRetry));
  expect(net()).toEqual([[1, 0, 10]]);
});

test("unref keeps its meaning: the wait does not keep the process alive", async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  for (const unref of [true, false]) {
    const { retry, fail, net } = fixture();
    const controller = new AbortController();
    const before = timers();
    const options = { retries: 5, minTimeout: 10_000, unref, signal: controller.signal };
    const ended = errorOf(retry(fail, options));
    for (let turn = 0; turn < 100 && net()[0]?.[2] !== 9; turn++) await Promise.resolve();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(timers() - before).toBe(unref ? 0 : 1);
    controller.abort(new Error("enough"));
    await ended;
  }
});

test.runIf(hasContext)("a delay of 0 sets no timer, from p-retry 7 on", async () => {
  const { retry, fail, attempts } = fixture();
  const begin = performance.now();
  await errorOf(retry(fail, { retries: 5, minTimeout: 0 }));
  expect(attempts()).toBe(3);
  expect(performance.now() - begin).toBeLessThan(1000);
});
