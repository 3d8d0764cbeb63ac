import { expectFunction, expectObject } from "./expect.js";

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

export function expectClock(field: string, value: unknown): Clock {
  const clock = expectObject(field, value);
  for (const name of ["now", "wall", "schedule"]) expectFunction(`${field}.${name}`, clock[name]);
  return value as Clock;
}
