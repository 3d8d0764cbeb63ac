import { contain } from "./contain.js";
import { numberFrom, oneOf } from "./expect.js";
import { type Fields, resolveFields, upTo } from "./fields.js";
import type { Outcome } from "./outcome.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

/** A longer `setTimeout` fires at once: an instant storm. */
export const longestTimer: number = 2 ** 31 - 1;

/** Waits between attempts that double, up to a maximum. */
export interface BackoffOptions {
  /** Wait after the first attempt, in ms; it doubles with every further one. @default 100 */
  readonly base?: number | undefined;
  /** Longest wait, in ms. @default 10_000 */
  readonly max?: number | undefined;
  /** "full" draws from 0 to the wait, "none" takes it as it is. @default "full" */
  readonly jitter?: "full" | "none" | undefined;
}

/** The wait in ms before the retry that follows attempt number `attempt` (1 = the original). */
export type BackoffFunction = (attempt: number, outcome: Outcome) => number;

/** @throws TypeError that names the field and the value. */
export function resolveBackoff(value: unknown, random: () => number): BackoffFunction {
  if (typeof value === "function") return value as BackoffFunction;
  const { max, base, jitter } = resolveFields(backoffFields, value, "backoff");
  // Full jitter spreads the retries of a crowd best (AWS, "Exponential Backoff and Jitter").
  const draw = jitter === "full" ? random : () => 1;
  return (attempt) => draw() * Math.min(Number(max), Number(base) * 2 ** Math.min(attempt - 1, 31));
}

export const backoffFields: Fields = {
  max: [numberFrom(0, longestTimer), 10_000],
  // `{ max: 50 }` alone is no mistake.
  base: [upTo("max", "base"), 100],
  jitter: [oneOf("full", "none"), "full"],
};

export function isWait(delay: unknown): delay is number {
  return typeof delay === "number" && delay >= 0;
}

/** The wait that the policy's backoff asks for; a function that fails counts as absent. */
export function backoffDelay(
  backoff: BackoffFunction,
  attempt: number,
  outcome: Outcome,
  warn: Warn,
): number {
  const delay = contain(warn, "backoff", () => backoff(attempt, outcome));
  if (isWait(delay)) return delay;
  warnOfAnswer(warn, "backoff", delay);
  return resolveBackoff({}, () => 1)(attempt, outcome);
}
