import { refusalOf } from "@retry-budget/core";
import { errorOf, until } from "@retry-budget/testkit";
import pRetry from "p-retry";
import { describe, expect, test } from "vitest";
import { countedSignal, fixture, quick, warningNamesDuring } from "./fixture.js";
import { hasContext, pRetryMajor } from "./p-retry-major.js";

const reason = new Error("enough");

test("pr-09: an abort in the delay rejects with the reason, gives the token back, and ends the attempts (#53)", async () => {
  const { retry, fail, net, attempts } = fixture();
  const controller = new AbortController();
  const options = { retries: 5, minTimeout: 10_000, signal: controller.signal };
  const ended = errorOf(retry(fail, options));
  await until(() => net()[0]?.[2] === 9);
  controller.abort(reason);
  expect(await ended).toBe(reason);
  expect([attempts(), net()]).toEqual([1, [[1, 0, 10]]]);
});

test("an abort while the attempt runs refuses uncharged, with the reason, also where the attempt fails by itself", async () => {
  const { retry, net } = fixture();
  const controller = new AbortController();
  const operation = (): never => {
    controller.abort(reason);
    throw new Error("own failure");
  };
  expect(await errorOf(retry(operation, { ...quick, signal: controller.signal }))).toBe(reason);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("the reason of an abort is what bare p-retry makes of it, whatever it is", async () => {
  for (const given of [reason, "text", undefined, new DOMException("gone", "AbortError")]) {
    const end = async (run: typeof pRetry): Promise<unknown[]> => {
      const controller = new AbortController();
      const operation = async (): Promise<never> => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.abort(given);
        throw new Error("own failure");
      };
      const error = await errorOf<unknown>(run(operation, { ...quick, signal: controller.signal }));
      return [typeof error, Object(error).name, String(error)];
    };
    expect(await end(fixture().retry)).toEqual(await end(pRetry));
  }
});

test("what callbacks abort is as with bare p-retry", async () => {
  const names = ["onFailedAttempt", "shouldRetry", "shouldConsumeRetry"];
  for (const name of names.slice(0, Math.min(pRetryMajor - 4, 3))) {
    const end = async (run: typeof pRetry): Promise<unknown> => {
      const controller = new AbortController();
      let attempts = 0;
      const options = {
        ...quick,
        retries: 1,
        signal: controller.signal,
        [name]: () => {
          controller.abort(reason);
          return true;
        },
      };
      const error = await errorOf(run(() => Promise.reject(new Error(`E${++attempts}`)), options));
      return [attempts, error.message];
    };
    const { retry, net } = fixture();
    expect(await end(retry)).toEqual(await end(pRetry));
    expect(net()).toEqual([[1, 0, 10]]);
  }
});

describe("a signal that is aborted before", () => {
  const signal = AbortSignal.abort(reason);

  test.runIf(hasContext)("begins nothing and earns nothing, from p-retry 7 on", async () => {
    const { retry, fail, net, attempts } = fixture();
    expect(await errorOf(retry(fail, { ...quick, signal }))).toBe(reason);
    expect([attempts(), net()]).toEqual([0, [[0, 0, 10]]]);
  });

  // p-retry 5 and 6 do not look: bare they make all their attempts.
  test.skipIf(hasContext)("does not keep p-retry 5 and 6 from the first attempt", async () => {
    const { retry, fail, net, attempts } = fixture({ initial: 1 });
    const options = { ...quick, retries: 1 };
    expect((await errorOf(pRetry(fail, { ...options, signal }))).message).toBe("E2");
    expect(await errorOf(retry(fail, { ...options, signal }))).toBe(reason);
    expect([attempts(), net()]).toEqual([3, [[0, 0, 1]]]);
    expect(await retry(() => "done", { ...options, signal })).toBe("done");
    expect(net()).toEqual([[1, 0, 1]]);
  });

  test.skipIf(hasContext)(
    "is not decorated by p-retry 5 and 6 as if it were a failure",
    async () => {
      const { retry, fail } = fixture();
      const frozen = Object.freeze(new Error("frozen reason"));
      const options = { ...quick, signal: AbortSignal.abort(frozen) };
      expect(await errorOf(retry(fail, options))).toBe(frozen);
      expect(await errorOf(retry(fail, { ...quick, signal: AbortSignal.abort("text") }))).toBe(
        "text",
      );
    },
  );
});

test("nothing is withdrawn once the promise has settled, though callbacks of p-retry 5 and 6 still run", async () => {
  const { retry, net, policy } = fixture();
  const controller = new AbortController();
  const events: string[] = [];
  policy.subscribe(({ type }) => events.push(type));
  let fail: (error: Error) => void = () => undefined;
  const operation = (): Promise<never> =>
    new Promise((_, reject) => {
      fail = reject;
    });
  const told: unknown[] = [];
  const onFailedAttempt = (failure: unknown): void => void told.push(failure);
  const ended = errorOf(
    retry(operation, { ...quick, minTimeout: 1, onFailedAttempt, signal: controller.signal }),
  );
  controller.abort(reason);
  // p-retry 7 and later reject when the attempt has ended.
  if (hasContext) fail(new Error("late"));
  expect(await ended).toBe(reason);
  fail(new Error("late"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toHaveLength(pRetryMajor === 9 ? 0 : 1);
  expect(net()).toEqual([[1, 0, 10]]);
  expect(events).toEqual(["original", "refused"]);
});

test("an abort while onRetry runs rejects with the reason, and the token is back", async () => {
  const controller = new AbortController();
  const onRetry = (): Promise<void> => {
    setTimeout(() => controller.abort(reason), 5);
    return new Promise(() => undefined);
  };
  const { retry, fail, net } = fixture({ onRetry });
  expect(await errorOf(retry(fail, { ...quick, signal: controller.signal }))).toBe(reason);
  expect(net()).toEqual([[1, 0, 10]]);
});

describe("listeners", () => {
  const bareListeners = async (run: typeof pRetry): Promise<number> => {
    const { signal, listeners } = countedSignal();
    await errorOf(run(() => Promise.reject(new Error("E")), { retries: 2, minTimeout: 2, signal }));
    return listeners();
  };

  test("none stays on a signal that many calls share, but for the one that p-retry 5 leaves", async () => {
    const { retry } = fixture({ onRetry: () => undefined });
    const ours = await bareListeners(retry);
    expect(ours).toBe(await bareListeners(pRetry));
    expect(ours).toBe(pRetryMajor === 5 ? 1 : 0);
  });

  test("there is none of ours while attempts run", async () => {
    const { retry } = fixture();
    const { signal, listeners } = countedSignal();
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
    const calls = Array.from({ length: 10 }, () => retry(pause, { ...quick, signal }));
    // p-retry 5 and 6 listen all the time themselves.
    expect(listeners()).toBe(hasContext ? 0 : 10);
    await Promise.all(calls);
  });

  test.runIf(hasContext)("are too few for a warning of Node's, from p-retry 7 on", async () => {
    const { retry } = fixture();
    const { signal } = new AbortController();
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
    const names = await warningNamesDuring(() =>
      Promise.all(Array.from({ length: 20 }, () => retry(pause, { ...quick, signal }))),
    );
    expect(names).toEqual([]);
  });
});

test.runIf(hasContext)("what is no signal is refused by p-retry itself, in its words", async () => {
  for (const signal of [5, {}, "text"]) {
    const { retry } = fixture();
    const options = { retries: 1, minTimeout: 1, signal: signal as never };
    const ours = await errorOf(retry(() => Promise.reject(new Error("E")), options));
    const bare = await errorOf(pRetry(() => Promise.reject(new Error("E")), options));
    expect(ours.message).toBe(bare.message);
  }
});

test("an error that p-retry was refused for is marked, an abort's reason is not", async () => {
  const { retry, fail } = fixture({ initial: 0 });
  expect(refusalOf(await errorOf(retry(fail, quick)))).toMatchObject({ refusal: "budget" });
});
