import { numberFrom } from "./expect.js";
import { type Fields, upTo } from "./fields.js";
import { aRatio, mistake } from "./mistake.js";

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

/** One token in units. Integers, since ten times 0.1 is less than 1 in floating point. */
export const token = 1_000_000;

/** Rounds down what is no whole unit; the margin swallows the error of the multiplication only. */
export function unitsOf(tokens: number): number {
  return Math.floor(tokens * token + 1e-6);
}

/** What every budget is made by. */
export const budgetFields: Fields = {
  ratio: [expectRatio, 0.1],
  capacity: [numberFrom(1, 1e9), 10],
  initial: [upTo("capacity", "initial"), Number.POSITIVE_INFINITY],
  trickle: [numberFrom(0, 1000), 0],
};

function expectRatio(field: string, value: unknown): number {
  const ratio = numberFrom(0, 1000)(field, value);
  if (ratio > 0 && unitsOf(ratio) === 0) throw mistake(field, aRatio, ratio);
  return ratio;
}
