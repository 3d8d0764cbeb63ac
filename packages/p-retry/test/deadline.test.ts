import { refusalOf, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { errorOf, LongTimers, outerOf, until } from "@retry-budget/testkit";
import { expect, onTestFinished, test } from "vitest";
import { countedSignal, fixture, quick, warningNamesDuring } from "./fixture.js";
import { hasContext, pRetryMajor } from "./p-retry-major.js";

test("an operation in flight ends at it with what AbortSignal.timeout() gives, and no attempt follows", async () => {
  const clock = createManualClock();
  const { retry, net } = fixture({ clock, deadline: 500 });
  let attempts = 0;
  const told: unknown[] = [];
  const hang = (): Promise<never> => {
    attempts++;
    return new Promise(() => undefined);
  };
  const onFailedAttempt = (failure: unknown): void => void told.push(failure);
  const failure = errorOf<DOMException>(retry(hang, { ...quick, onFailedAttempt }));
  clock.advance(499);
  expect(clock.pending).toBe(1);
  clock.advance(1);
  const error = await failure;
  const theirs = await new Promise<DOMException>((resolve) => {
    const signal = AbortSignal.timeout(1);
    signal.addEventListener("abort", () => resolve(signal.reason));
  });
  expect(error).toBeInstanceOf(DOMException);
  expect([error.name, error.message, error.code]).toEqual([
    theirs.name,
    theirs.message,
    theirs.code,
  ]);
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  expect([attempts, told, clock.pending]).toEqual([1, [], 0]);
  expect(net()).toEqual([[1, 0, 10]]);
});

test.each(["resolves", "rejects"])(
  "an operation that %s too late changes nothing, and is nobody's unhandled rejection",
  async (way) => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    onTestFinished(() => void process.off("unhandledRejection", listen));
    const clock = createManualClock();
    const { retry, net, policy } = fixture({ clock, deadline: 500 });
    const events: string[] = [];
    policy.subscribe(({ type }) => events.push(type));
    let end = (): void => undefined;
    const operation = (): Promise<string> =>
      new Promise((resolve, reject) => {
        end = way === "resolves" ? () => resolve("late") : () => reject(new Error("late"));
      });
    const failure = errorOf(retry(operation, quick));
    clock.advance(500);
    expect((await failure).name).toBe("TimeoutError");
    end();
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    expect([unhandled, events, net()]).toEqual([[], ["original", "refused"], [[1, 0, 10]]]);
  },
);

test("a retry in flight ends at it, too, and has cost its token", async () => {
  const clock = createManualClock();
  const { retry, net } = fixture({ clock, deadline: 100_000 });
  let attempts = 0;
  const operation = (attempt: number): Promise<never> => {
    attempts = attempt;
    return attempt === 1 ? Promise.reject(new Error("E")) : new Promise(() => undefined);
  };
  const failure = errorOf(retry(operation, quick));
  await until(() => attempts === 2);
  clock.advance(100_000);
  const error = await failure;
  expect(error.name).toBe("TimeoutError");
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 2 });
  expect([net(), clock.pending]).toEqual([[[1, 1, 9]], 0]);
});

test("at its end nothing stays behind: no timer of p-retry's, no listener on the caller's signal", async () => {
  const timers = new LongTimers();
  onTestFinished(() => timers.restore());
  const clock = createManualClock();
  const { retry } = fixture({ clock, deadline: 500 });
  const { signal, listeners } = countedSignal();
  const options = { retries: 5, minTimeout: 60_000, maxRetryTime: 90_000, signal };
  const failure = errorOf(retry(() => new Promise(() => undefined), options));
  clock.advance(500);
  await failure;
  expect(timers.open).toBe(0);
  // The one that p-retry 5 leaves.
  expect(listeners()).toBe(pRetryMajor === 5 ? 1 : 0);
});

test("a call that ends in time, well or badly, leaves no timer behind", async () => {
  const clock = createManualClock();
  const { retry, fail } = fixture({ clock, deadline: 60_000 });
  expect(await retry(() => "done", quick)).toBe("done");
  expect(clock.pending).toBe(0);
  await errorOf(retry(fail, quick));
  expect(clock.pending).toBe(0);
});

test("without one there is no timer at all", async () => {
  const clock = createManualClock();
  const { retry } = fixture({ clock });
  let pending: number | undefined;
  await retry(() => {
    pending = clock.pending;
  }, quick);
  expect(pending).toBe(0);
});

test.skipIf(hasContext)(
  "an abort in flight, which ends p-retry 5 and 6 at once, ends the timer with it",
  async () => {
    const clock = createManualClock();
    const { retry } = fixture({ clock, deadline: 500 });
    const controller = new AbortController();
    const options = { ...quick, signal: controller.signal };
    const failure = errorOf(retry(() => new Promise(() => undefined), options));
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect(clock.pending).toBe(0);
  },
);

test("of an operation that takes no notice of an abort the reason is given at the deadline at last", async () => {
  const clock = createManualClock();
  const { retry } = fixture({ clock, deadline: 500 });
  const controller = new AbortController();
  const options = { ...quick, signal: controller.signal };
  const failure = errorOf(retry(() => new Promise(() => undefined), options));
  const reason = new Error("enough");
  controller.abort(reason);
  clock.advance(500);
  expect(await failure).toBe(reason);
});

test("an outer call that has no time left keeps the operation from being called, in no time of its own", async () => {
  const { retry, fail, attempts, net } = fixture();
  const outer = outerOf({ isRetried: false, remaining: () => 0 });
  const error = await errorOf(runInside(outer, () => retry(fail, quick)));
  expect(error).toBeInstanceOf(DOMException);
  expect(error.name).toBe("TimeoutError");
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
  expect([attempts(), net()]).toEqual([0, [[0, 0, 10]]]);
});

test("many calls with one warn of no listeners", async () => {
  const { retry } = fixture({ deadline: 60_000 });
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  const names = await warningNamesDuring(() =>
    Promise.all(Array.from({ length: 30 }, () => retry(pause, quick))),
  );
  expect(names).toEqual([]);
});
