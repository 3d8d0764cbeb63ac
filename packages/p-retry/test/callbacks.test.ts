import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/p-retry";
import { errorOf, until } from "@retry-budget/testkit";
import pRetry, { AbortError, type Options } from "p-retry";
import { expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";
import { hasContext, hasShouldRetry, pRetryMajor } from "./p-retry-major.js";

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
  // p-retry 6 tells of a failure that is refused when it has rejected.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(log).toEqual(["attempt 1", "told", "attempt 2", "told", "attempt 3", "told"]);
});

test("pr-12: callbacks that are undefined or null are no callbacks (#36, #82)", async () => {
  for (const nothing of [undefined, null]) {
    const { retry, fail, net } = fixture();
    const none = { onFailedAttempt: nothing, shouldRetry: nothing, shouldConsumeRetry: nothing };
    expect((await errorOf(retry(fail, { ...quick, ...none } as never))).message).toBe("E3");
    expect(net()).toEqual([[1, 2, 8]]);
  }
});

test("pr-16: callbacks are told what bare p-retry tells them, in its order (#11)", async () => {
  const told = async (run: typeof pRetry): Promise<unknown[]> => {
    const log: unknown[] = [];
    let attempts = 0;
    const tell = (name: string) => (failure: { error?: Error }) => {
      const { attemptNumber, retriesLeft, retriesConsumed, retryDelay } = Object(failure);
      const { message } = failure instanceof Error ? failure : Object(failure.error);
      log.push([name, message, attemptNumber, retriesLeft, retriesConsumed, retryDelay]);
      return true;
    };
    const options = {
      minTimeout: 2,
      retries: 2,
      onFailedAttempt: tell("onFailedAttempt"),
      shouldRetry: tell("shouldRetry"),
      shouldConsumeRetry: tell("shouldConsumeRetry"),
    };
    await errorOf(run(() => Promise.reject(new Error(`E${++attempts}`)), options as never));
    return log;
  };
  const ours = await told(fixture().retry);
  expect(ours).toEqual(await told(pRetry));
  expect(ours.length).toBeGreaterThan(2);
});

test("pr-17: an AbortError thrown by onFailedAttempt is what bare p-retry makes of it", async () => {
  const thrown = new AbortError(new Error("inner"));
  const onFailedAttempt = (): never => {
    throw thrown;
  };
  const { retry, fail } = fixture();
  expect(await errorOf(pRetry(fail, { ...quick, onFailedAttempt }))).toBe(thrown);
  expect(await errorOf(retry(fail, { ...quick, onFailedAttempt }))).toBe(thrown);
});

test("a callback that throws gives the token back at once: p-retry 6 hangs for ever on a text", async () => {
  const policy = createRetryPolicy();
  // What p-retry 6 does then, without the rejection that nobody handles.
  const hanging = async (input: (attempt: number) => unknown, options: object = {}) => {
    const { shouldRetry, onFailedAttempt } = options as Record<string, (error: Error) => unknown>;
    const failure = await errorOf(Promise.resolve(input(1)));
    await shouldRetry?.(Object.assign(failure, { attemptNumber: 1, retriesLeft: 1 }));
    await errorOf(Promise.resolve(onFailedAttempt?.(failure)));
    return new Promise<never>(() => undefined);
  };
  const retry = retryBudget({ pRetry: hanging as typeof pRetry, AbortError }, policy);
  const onFailedAttempt = () => Promise.reject("text");
  void retry(() => Promise.reject(new Error("E")), { ...quick, onFailedAttempt });
  await until(() => policy.snapshot()[0]?.refusals.aborted === 1);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 0, balance: 10 }]);
});

test("what each callback throws rejects, and nothing is spent", async () => {
  for (const name of ["onFailedAttempt", "shouldRetry", "shouldConsumeRetry"]) {
    const thrown = new Error(name);
    const options = { ...quick, retries: 1, [name]: () => Promise.reject(thrown) };
    const { retry, fail, net } = fixture({ initial: 1, ratio: 0 });
    const bare = await errorOf(pRetry(() => Promise.reject(new Error("E")), options));
    const error = await errorOf(retry(fail, options));
    const isAsked = bare === thrown;
    expect(error === thrown).toBe(isAsked);
    expect(net()).toEqual([isAsked ? [1, 0, 1] : [1, 1, 0]]);
  }
});

test.runIf(hasShouldRetry)(
  "a shouldRetry is asked with the options as its this, and may be asynchronous, from p-retry 6 on",
  async () => {
    const { retry } = fixture();
    const once = (attempt: number): string => {
      if (attempt === 1) throw new Error("E");
      return "done";
    };
    async function byRetries(this: Options): Promise<boolean> {
      return this.retries === 5;
    }
    expect(await retry(once, { ...quick, shouldRetry: byRetries as never })).toBe("done");
  },
);

test("a callback that is no function is refused by p-retry itself, in its words", async () => {
  for (const name of ["onFailedAttempt", "shouldRetry"]) {
    const end = async (run: typeof pRetry): Promise<unknown> => {
      let attempts = 0;
      const operation = () => Promise.reject(new Error(`E${++attempts}`));
      const error = await errorOf(run(operation, { ...quick, retries: 1, [name]: 5 as never }));
      return [attempts, error.name, error.message];
    };
    expect(await end(fixture().retry)).toEqual(await end(pRetry));
  }
});

test("an onFailedAttempt hears of a refused failure once, under p-retry 6 after the promise has rejected", async () => {
  const { retry, fail } = fixture({ initial: 0 });
  const log: string[] = [];
  const onFailedAttempt = (): void => void log.push("told");
  await errorOf(retry(fail, { ...quick, onFailedAttempt }));
  log.push("rejected");
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(log.toSorted()).toEqual(["rejected", "told"]);
  if (pRetryMajor !== 6) expect(log).toEqual(["told", "rejected"]);
});

// There the numbers are on the error: of the two calls that share it, the last to fail writes them.
test.skipIf(hasContext)(
  "calls that share one error are refused each for itself, and at once",
  async () => {
    const { retry } = fixture({ initial: 0 });
    const shared = new Error("shared");
    const slow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    const operation = () => Promise.reject(shared);
    const options = {
      minTimeout: 5000,
      onFailedAttempt: slow,
      shouldRetry: () => slow().then(() => true),
    };
    const begin = performance.now();
    await Promise.all([
      errorOf(retry(operation, { ...options, retries: 5 } as never)),
      errorOf(retry(operation, { ...options, retries: 0 } as never)),
    ]);
    expect(performance.now() - begin).toBeLessThan(4000);
  },
);
