import { resolveClock } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";

const silent = (): void => undefined;

test("without a clock the time is the system's", () => {
  const { now } = resolveClock("clock", undefined, silent);
  const before = performance.now();
  expect(now()).toBeGreaterThanOrEqual(before);
});

test("a clock that was injected is obeyed, and one that breaks stands still", () => {
  const clock = createManualClock();
  let isBroken = false;
  const broken = { ...clock, now: () => (isBroken ? Number.NaN : clock.now()) };
  const { now } = resolveClock("clock", broken, silent);
  const begun = now();
  clock.advance(5);
  expect(now() - begun).toBe(5);
  isBroken = true;
  expect(now() - begun).toBe(5);
});

test("what is no clock is an error that names the field", () => {
  expect(() => resolveClock("clock", {}, silent)).toThrow(
    new TypeError("Expected `clock.now` to be a function, got undefined."),
  );
});
