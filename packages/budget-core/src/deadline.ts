import { longestTimer } from "./backoff.js";
import type { Clock } from "./clock.js";

/** The end of the time that one call may take. */
export interface Deadline {
  /** Whether it will have come in so many ms. */
  isPassedIn(delay: number): boolean;
  /** Calls back when it comes; gives the way to stop. */
  schedule(callback: () => void): () => void;
}

export const noDeadline: Deadline = {
  isPassedIn: () => false,
  schedule: () => () => undefined,
};

/** @param time ms from now, or Infinity: then the clock is never read. */
export function deadlineIn(time: number, clock: Clock): Deadline {
  if (time === Number.POSITIVE_INFINITY) return noDeadline;
  const at = clock.now() + time;
  return {
    isPassedIn: (delay) => clock.now() + delay >= at,
    schedule: (callback) => clock.schedule(callback, Math.min(at - clock.now(), longestTimer)),
  };
}
