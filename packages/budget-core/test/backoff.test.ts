import { expect, test } from "vitest";
import { backoffDelay, longestTimer, resolveBackoff } from "../src/backoff.js";

const outcome = { status: 503 };
const delays = (options: object, random = () => 1): number[] => {
  const backoff = resolveBackoff(options, random);
  return [1, 2, 3, 40, 4000].map((attempt) => backoff(attempt, outcome));
};

test("without jitter the wait doubles from the base up to the maximum, however many attempts", () => {
  expect(delays({ jitter: "none" })).toEqual([100, 200, 400, 10_000, 10_000]);
});

test("full jitter draws from nothing up to that wait", () => {
  expect(delays({}, () => 0)).toEqual([0, 0, 0, 0, 0]);
  expect(delays({}, () => 0.5)).toEqual([50, 100, 200, 5000, 5000]);
});

test("a base of 0 stays 0 for ever", () => {
  expect(delays({ base: 0 })).toEqual([0, 0, 0, 0, 0]);
});

test("a maximum below the default base is enough said", () => {
  expect(delays({ max: 50, jitter: "none" })).toEqual([50, 50, 50, 50, 50]);
});

test.each([
  [{ base: -1 }, "backoff.base"],
  [{ base: 20_000 }, "backoff.base"],
  [{ base: null }, "backoff.base"],
  [{ max: longestTimer + 1 }, "backoff.max"],
  [{ jitter: "half" }, "backoff.jitter"],
  [{ factor: 3 }, "factor"],
  [null, "backoff"],
  ["fast", "backoff"],
])("%o is a mistake that names %s", (options, field) => {
  expect(() => resolveBackoff(options, Math.random)).toThrow(TypeError);
  expect(() => resolveBackoff(options, Math.random)).toThrow(`\`${field}\``);
});

test.each([
  [() => Number.NaN],
  [() => -1],
  [() => "soon"],
  [() => Promise.resolve(5)],
  [
    () => {
      throw new Error("no");
    },
  ],
])("a function that gives no wait counts as absent, with one warning", (backoff) => {
  const warnings: string[] = [];
  const delay = backoffDelay(backoff as never, 2, outcome, (code) => warnings.push(code));
  expect(delay).toBe(200);
  expect(new Set(warnings)).toEqual(new Set(["RETRY_BUDGET_BACKOFF"]));
});
