import { contain } from "./contain.js";
import {
  definedOf,
  expectKnownKeys,
  expectNumber,
  expectPlainObject,
  mistake,
  show,
} from "./expect.js";
import type { Outcome } from "./outcome.js";
import type { Warn } from "./warner.js";

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

export const backoffDefaults = { base: 100, max: 10_000, jitter: "full" } as const;

/** @throws TypeError that names the field and the value. */
export function resolveBackoff(value: unknown, random: () => number): BackoffFunction {
  if (typeof value === "function") return value as BackoffFunction;
  const own = definedOf(expectPlainObject("backoff", value));
  expectKnownKeys("`backoff`", own, Object.keys(backoffDefaults));
  const given: Record<string, unknown> = { ...backoffDefaults, ...own };
  const max = expectNumber("backoff.max", given["max"], 0, longestTimer);
  // `{ max: 50 }` alone is no mistake.
  const base = expectNumber(
    "backoff.base",
    "base" in own ? own["base"] : Math.min(backoffDefaults.base, max),
    0,
    max,
  );
  const { jitter } = given;
  if (jitter !== "full" && jitter !== "none") {
    throw mistake("backoff.jitter", `"full" or "none"`, jitter);
  }
  // Full jitter spreads the retries of a crowd best (AWS, "Exponential Backoff and Jitter").
  const draw = jitter === "full" ? random : () => 1;
  return (attempt) => draw() * Math.min(max, base * 2 ** Math.min(attempt - 1, 31));
}

export function isWait(delay: unknown): delay is number {
  return typeof delay === "number" && delay >= 0;
}

const fallback = resolveBackoff(backoffDefaults, () => 1);

/** The wait that the policy's backoff asks for; a function that fails counts as absent. */
export function backoffDelay(
  backoff: BackoffFunction,
  attempt: number,
  outcome: Outcome,
  warn: Warn,
): number {
  const delay = contain(warn, "backoff", () => backoff(attempt, outcome));
  if (isWait(delay)) return delay;
  warn(
    "RETRY_BUDGET_BACKOFF",
    `Expected \`backoff\` to give a number of ms from 0, got ${show(delay)}.`,
  );
  return fallback(attempt, outcome);
}
