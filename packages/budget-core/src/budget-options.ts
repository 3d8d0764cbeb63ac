import { definedOf, expectKnownKeys, expectNumber, expectPlainObject, mistake } from "./expect.js";

/** How one budget earns and holds tokens. */
export interface BudgetOptions {
  /**
   * Tokens that one original request earns, from 0 to 1000, in steps of one millionth (rounded
   * down, so that the bound holds). 0 means no retries beyond `initial`. @default 0.1
   */
  readonly ratio?: number | undefined;
  /** Most tokens that the budget holds, from 1: the longest burst of retries. @default 10 */
  readonly capacity?: number | undefined;
  /** Tokens at the start, from 0 to `capacity`. @default `capacity` */
  readonly initial?: number | undefined;
  /**
   * Tokens per second that arrive without traffic, from 0 to 1000: the floor that low-traffic
   * clients need. It multiplies by the number of processes. Without effect where `ratio` is 0.
   * @default 0
   */
  readonly trickle?: number | undefined;
}

export interface BudgetSettings {
  readonly ratio: number;
  readonly capacity: number;
  readonly initial: number;
  readonly trickle: number;
}

export const budgetDefaults = { ratio: 0.1, capacity: 10, trickle: 0 } as const;

export const budgetOptionNames: readonly string[] = ["ratio", "capacity", "initial", "trickle"];

/** One token in units. Integers, since ten times 0.1 is less than 1 in floating point. */
export const token = 1_000_000;

/** Rounds down what is no whole unit; the margin swallows the error of the multiplication only. */
export function unitsOf(tokens: number): number {
  return Math.floor(tokens * token + 1e-6);
}

/** @throws TypeError that names the field and the value. */
export function resolveBudgetOptions(options: object, path = ""): BudgetSettings {
  const given: Record<string, unknown> = { ...budgetDefaults, ...definedOf(options) };
  const ratio = expectNumber(`${path}ratio`, given["ratio"], 0, 1000);
  if (ratio > 0 && unitsOf(ratio) === 0) {
    throw mistake(`${path}ratio`, "0 or at least 0.000001", ratio);
  }
  const capacity = expectNumber(`${path}capacity`, given["capacity"], 1, 1e9);
  const initial = "initial" in given ? given["initial"] : capacity;
  return {
    ratio,
    capacity,
    initial: expectNumber(`${path}initial`, initial, 0, capacity),
    trickle: expectNumber(`${path}trickle`, given["trickle"], 0, 1000),
  };
}

export function expectBudgetOptions(of: string, options: unknown): void {
  expectKnownKeys(of, expectPlainObject(of, options), budgetOptionNames);
}
