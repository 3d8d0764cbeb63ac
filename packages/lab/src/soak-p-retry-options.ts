import { setTimeout as sleep } from "node:timers/promises";
import type { Options } from "p-retry";
import type { SoakCall } from "./soak-plan.js";

/** @param isShort whether the wait is one that the call can take more than once */
type MakeOptions = (method: SoakCall["method"], isShort: boolean) => Options;

/**
 * Ms. Much longer than an early abort takes: one that is late shall not meet the next attempt, which
 * counts for p-retry before anything is written.
 */
const shortWait = 100;
/** Ms. p-retry obeys no Retry-After: who is to wait so long says it himself. */
const longWait = 30_000;

/**
 * The ways in which pRetry is told what to repeat. It repeats whatever it is given: that a POST is
 * not, its caller says in one of these ways, or else by an `AbortError`.
 */
const flavours: readonly MakeOptions[] = [
  (method) => ({ retries: method === "POST" ? 0 : 2 }),
  (method) => ({ retries: 2, shouldRetry: () => method !== "POST" }),
  (method) => ({ retries: 1, randomize: true, shouldRetry: async () => method !== "POST" }),
  () => ({ retries: 5, onFailedAttempt: () => undefined }),
  () => ({ retries: 2, onFailedAttempt: async () => void (await sleep(1)) }),
  // The policy's own limit holds.
  () => ({ retries: Number.POSITIVE_INFINITY, maxRetryTime: 60_000 }),
  (_, isShort) => ({
    retries: 2,
    shouldConsumeRetry: async ({ attemptNumber }) => {
      const isConsumed = attemptNumber > 1 || !isShort;
      // Else p-retry does not wait at all.
      if (!isConsumed) await sleep(shortWait);
      return isConsumed;
    },
  }),
];

/** @param isAnnounced whether the server has said that it will be a while */
export function pRetryOptions({ index, method }: SoakCall, isAnnounced: boolean): Options {
  const own = flavours[index % flavours.length]?.(method, !isAnnounced);
  return { ...own, factor: 1, minTimeout: isAnnounced ? longWait : shortWait };
}
