import { contain } from "./contain.js";
import { expectFunction, expectObject } from "./expect.js";
import type { Warn } from "./warner.js";

/** Time as the policy sees it. Tests pass `createManualClock()` of `@retry-budget/core/testing`. */
export interface Clock {
  /** Monotonic milliseconds, for deadlines and the trickle. */
  now(): number;
  /** Milliseconds since the Unix epoch, for a `Retry-After` that is a date. */
  wall(): number;
  /** Calls back once after `delay` ms; the function that it returns cancels the call. */
  schedule(callback: () => void, delay: number): () => void;
}

// Read from globalThis at call time, so that fake timers installed later are obeyed.
export const systemClock: Clock = {
  now: () => globalThis.performance.now(),
  wall: () => Date.now(),
  schedule: (callback, delay) => {
    const timer = globalThis.setTimeout(callback, delay);
    return () => globalThis.clearTimeout(timer);
  },
};

/** What a broken clock says counts as not said: it must not fail a request or mint a token. */
export function containClock(clock: Clock, warn: Warn): Clock {
  let first: number | undefined;
  let last = 0;
  const ask = <Result>(question: () => Result): Result | undefined =>
    contain(warn, "clock", question);
  return {
    now: () => {
      const now = ask(() => clock.now());
      if (!Number.isFinite(now)) return last;
      first ??= Number(now);
      // Never back: time that passes twice would earn twice.
      last = Math.max(last, Number(now) - first);
      return last;
    },
    wall: () => {
      const wall = ask(() => clock.wall());
      return Number.isFinite(wall) ? Number(wall) : systemClock.wall();
    },
    schedule: (callback, delay) => {
      const cancel = ask(() => clock.schedule(callback, delay));
      if (typeof cancel !== "function") return systemClock.schedule(callback, delay);
      return () => {
        ask(cancel);
      };
    },
  };
}

export function expectClock(field: string, value: unknown): Clock {
  const clock = expectObject(field, value);
  for (const name of ["now", "wall", "schedule"]) expectFunction(`${field}.${name}`, clock[name]);
  return value as Clock;
}
