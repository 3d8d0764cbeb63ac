import type { RetryOptions } from "got";

export type CalculateDelay = RetryOptions["calculateDelay"];

// Options are cloned with all that is in them, so that a page of a pagination or another copy of
// this package meets what an earlier request has put there.
const mark: unique symbol = Symbol.for("retry-budget.got-hook.v1");

/** Of a function of ours: what it stands in front of, or whose it is; true where it is everybody's. */
type Mark = (() => CalculateDelay | undefined) | object | true;

interface Marked {
  [mark]?: Mark;
}

export function marked<Hook extends object>(hook: Hook, as: Mark): Hook {
  (hook as Marked)[mark] = as;
  return hook;
}

export function markOf(hook: unknown): Mark | undefined {
  return (hook as Marked | undefined)?.[mark];
}

/** Another list: handlers may give one that requests share, or that is frozen. */
export function usersOf<Hook>(list: Hook[]): Hook[] {
  return list.length === 0 ? list : list.filter((hook) => markOf(hook) === undefined);
}

/** The user's function, from under all of ours. */
export function userDelay(delay: CalculateDelay | undefined): CalculateDelay | undefined {
  const original = markOf(delay);
  return typeof original === "function" ? userDelay(original()) : delay;
}
