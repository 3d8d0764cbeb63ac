import { contain } from "./contain.js";
import { expectFunction, expectObject } from "./expect.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

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

export function expectClock(field: string, value: unknown): unknown {
  const clock = expectObject(field, value);
  for (const name of Object.keys(systemClock)) expectFunction(`${field}.${name}`, clock[name]);
  return value;
}

/**
 * For packages that read the time as a policy does: the clock that was injected, which must not fail
 * a request, or the system's.
 * @throws TypeError that names the field and the value.
 */
export function resolveClock(field: string, clock: unknown, warn: Warn): Clock {
  return clock === undefined ? systemClock : containClock(expectClock(field, clock) as Clock, warn);
}

/** What a broken clock says counts as not said: it must not fail a request or mint a token. */
export function containClock(clock: Clock, warn: Warn): Clock {
  if (clock === systemClock) return clock;
  let first: number | undefined;
  let last = 0;
  const read = (name: "now" | "wall"): number | undefined => {
    const time: unknown = contain(warn, "clock", () => clock[name]());
    if (Number.isFinite(time)) return Number(time);
    warnOfAnswer(warn, `clock.${name}`, time);
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
      const cancel = contain(warn, "clock", () => clock.schedule(callback, delay));
      if (typeof cancel !== "function") return systemClock.schedule(callback, delay);
      return () => contain(warn, "clock", cancel);
    },
  };
}
