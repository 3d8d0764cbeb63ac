import type { Clock } from "./clock.js";
import { numberFrom } from "./expect.js";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves on by `ms`, from 0, and calls back what has become due, in order. */
  advance(ms: number): void;
  /** Callbacks that are scheduled and not yet due. */
  readonly pending: number;
  /** How often the time was read. */
  readonly reads: number;
}

interface Alarm {
  readonly at: number;
  readonly callback: () => void;
}

/** @param epoch milliseconds since the Unix epoch at the start */
export function createManualClock(epoch = 0): ManualClock {
  let now = 0;
  let reads = 0;
  const alarms = new Set<Alarm>();

  const nextBefore = (limit: number): Alarm | undefined => {
    const due = [...alarms].filter(({ at }) => at <= limit);
    return due.sort((a, b) => a.at - b.at)[0];
  };

  return {
    now: () => {
      reads++;
      return now;
    },
    wall: () => {
      reads++;
      return epoch + now;
    },
    schedule: (callback, delay) => {
      const alarm = { at: now + Math.max(0, delay), callback };
      alarms.add(alarm);
      return () => {
        alarms.delete(alarm);
      };
    },
    advance: (ms) => {
      numberFrom(0, Number.MAX_SAFE_INTEGER)("ms", ms);
      const end = now + ms;
      for (let alarm = nextBefore(end); alarm !== undefined; alarm = nextBefore(end)) {
        alarms.delete(alarm);
        now = alarm.at;
        alarm.callback();
      }
      now = end;
    },
    get pending() {
      return alarms.size;
    },
    get reads() {
      return reads;
    },
  };
}
