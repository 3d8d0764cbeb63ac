import { createIncoming, type IncomingOptions } from "@retry-budget/context";
import { outerCall, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test, vi } from "vitest";

const fixture = (options: IncomingOptions = {}) => {
  const clock = createManualClock();
  const incoming = createIncoming({ clock, ...options });
  return { clock, incoming, open: (headers = {}) => incoming.open(headers) };
};

test("a request without marks opens nothing", () => {
  const { open } = fixture();
  expect(open({ "retry-budget-attempt": "1" })).toBeUndefined();
  expect(open()).toBeUndefined();
});

test("what remains is the caller's time minus the time that was spent", () => {
  const { clock, open } = fixture({ deadline: 1000 });
  const request = open({ "retry-budget-deadline": "300" });
  clock.advance(120);
  expect(request?.remaining()).toBe(180);
  clock.advance(200);
  expect(request?.remaining()).toBe(-20);
});

test("requests nest: the earlier deadline and whoever retries count", () => {
  const { clock, open } = fixture();
  const outer = open({ "retry-budget-deadline": "100", "retry-budget-attempt": "3" });
  const request = outer?.run(() => open({ "retry-budget-deadline": "900" }));
  expect(request).toMatchObject({ isRetried: true, attempt: 3, outer });
  clock.advance(40);
  expect(request?.remaining()).toBe(60);
});

test("a request that was answered is over, and what it was inside of is seen again", () => {
  const { open } = fixture();
  const outer = open({ "retry-budget-retried": "1" });
  const request = outer?.run(() => open({ "retry-budget-retried": "1" }));
  request?.run(() => {
    expect(outerCall()).toBe(request);
    request.close();
    expect(outerCall()).toBe(outer);
    outer?.close();
    expect(outerCall()).toBeUndefined();
  });
});

test("a request whose caller has gone is over after a minute, and an answered one stays over", () => {
  const { clock, open } = fixture();
  const gone = open({ "retry-budget-retried": "1" });
  const answered = open({ "retry-budget-retried": "1" });
  gone?.leave();
  answered?.close();
  answered?.leave();
  expect([gone?.isOver, answered?.isOver]).toEqual([false, true]);
  clock.advance(59_999);
  expect(gone?.isOver).toBe(false);
  clock.advance(1);
  expect(gone?.isOver).toBe(true);
});

test("work inside gives what it gives, and throws what it throws", () => {
  const request = fixture().open({ "retry-budget-retried": "1" });
  expect(request?.run(() => 1)).toBe(1);
  const failure = new Error("the handler's");
  expect(() =>
    request?.run(() => {
      throw failure;
    }),
  ).toThrow(failure);
});

test("a clock that breaks takes time from nobody, and gives none", () => {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  const broken = { ...createManualClock(), now: () => Number.NaN };
  const incoming = createIncoming({ clock: broken });
  const request = incoming.open({ "retry-budget-deadline": "300" });
  expect(request?.remaining()).toBe(300);
  expect(incoming.attempts.snapshot().total).toBe(1);
});

test("inside a call of another copy of the core the deadline is still the earlier one", () => {
  const { open } = fixture();
  const foreign = {
    isRetried: false,
    attempt: 1,
    isOver: false,
    outer: undefined,
    remaining: () => 5,
  };
  const request = runInside(foreign, () => open({ "retry-budget-deadline": "50" }));
  expect(request?.remaining()).toBe(5);
});

test.each([
  [{ deadline: 0 }, "Expected `deadline` to be a number of ms above 0, got 0."],
  [{ deadline: "1s" }, 'Expected `deadline` to be a number of ms above 0, got "1s".'],
  [{ window: Number.NaN }, "Expected `window` to be a number of ms above 0, got NaN."],
  [{ mostRetries: 20 }, "Expected `mostRetries` to be a number from 0 to 1, got 20."],
  [{ clock: {} }, "Expected `clock.now` to be a function, got undefined."],
  [{ presets: ["x"] }, 'Expected `presets` to be an array of envoy, grpc, aws, got ["x"].'],
  [
    { preset: "aws" },
    'Unknown option `preset` ("aws") in options. Known options: presets, names, deadline, window, mostRetries, clock.',
  ],
])("%j is an error that names the option and the value", (options, message) => {
  expect(() => createIncoming(options as IncomingOptions)).toThrow(new TypeError(message));
});
