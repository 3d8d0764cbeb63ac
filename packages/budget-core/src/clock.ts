import { contain } from "./contain.js";
import { expectFunction, expectObject, show } from "./expect.js";
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

/** The system's clock, or the user's, checked and contained. */
export function resolveClock(value: unknown, warn: Warn): Clock {
  return value === undefined ? systemClock : containClock(expectClock("clock", value), warn);
}

/** What a broken clock says counts as not said: it must not fail a request or mint a token. */
function containClock(clock: Clock, warn: Warn): Clock {
  let first: number | undefined;
  let last = 0;
  const ask = <Result>(question: () => Result): Result | undefined =>
    contain(warn, "clock", question);
  const read = (name: "now" | "wall"): number | undefined => {
    const time: unknown = ask(() => clock[name]());
    if (typeof time === "number" && Number.isFinite(time)) return time;
    warn("RETRY_BUDGET_CLOCK", `Expected \`clock.${name}\` to give ms, got ${show(time)}.`);
    return undefined;
  };
  return {
    now: () => {
      const now = read("now");
      if (now === undefined) return last;
      first ??= now;
      // Never back: time that passes twice would earn twice.
      last = Math.max(last, now - first);
      return last;
    },
    wall: () => read("wall") ?? systemClock.wall(),
    schedule: (callback, delay) => {
      const cancel = ask(() => clock.schedule(callback, delay));
      if (typeof cancel !== "function") return systemClock.schedule(callback, delay);
      return () => {
        ask(cancel);
      };
    },
  };
}

function expectClock(field: string, value: unknown): Clock {
  const clock = expectObject(field, value);
  for (const name of ["now", "wall", "schedule"]) expectFunction(`${field}.${name}`, clock[name]);
  return value as Clock;
}
