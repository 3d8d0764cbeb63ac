import { longestTimer } from "./backoff.js";
import type { Clock } from "./clock.js";

/** The end of the time that one call may take. */
export interface Deadline {
  /** The whole of it, in ms. */
  readonly time: number;
  /** Ms until it comes; below 0 since it has. */
  remaining(): number;
  /** Whether it will have come in so many ms. */
  isPassedIn(delay: number): boolean;
  /** Calls back when it comes; gives the way to stop. */
  schedule(callback: () => void): () => void;
}

export const noDeadline: Deadline = {
  time: Number.POSITIVE_INFINITY,
  remaining: () => Number.POSITIVE_INFINITY,
  isPassedIn: () => false,
  schedule: () => () => undefined,
};

/** @param time ms from now, or Infinity: then the clock is never read. */
export function deadlineIn(time: number, clock: Clock): Deadline {
  if (time === Number.POSITIVE_INFINITY) return noDeadline;
  const at = clock.now() + time;
  // A timer may come a little before its time.
  let hasCome = false;
  const remaining = (): number => {
    const left = at - clock.now();
    return hasCome ? Math.min(left, 0) : left;
  };
  return {
    // What an outer call has left has fractions, and goes into texts.
    time: Math.round(time),
    remaining,
    isPassedIn: (delay) => remaining() <= delay,
    schedule: (callback) => {
      const come = (): void => {
        hasCome = true;
        callback();
      };
      return clock.schedule(come, Math.min(Math.max(remaining(), 0), longestTimer));
    },
  };
}
