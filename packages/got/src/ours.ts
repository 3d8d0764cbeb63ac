import type { RetryOptions } from "got";

export type CalculateDelay = RetryOptions["calculateDelay"];

type Original = () => CalculateDelay | undefined;

// Options are cloned with all that is in them, so that a page of a pagination or a copy of this
// package meets what an earlier request has put there.
const mark: unique symbol = Symbol.for("retry-budget.got-hook.v1");

interface Marked {
  readonly [mark]?: Original;
}

/** Marks a function as put there by us; `original` is what it stands in front of. */
export function ours<Ours extends object>(own: Ours, original: Original = () => undefined): Ours {
  return Object.assign(own, { [mark]: original });
}

export function removeOurs(list: object[]): void {
  const users = list.filter((hook) => (hook as Marked)[mark] === undefined);
  list.splice(0, list.length, ...users);
}

/** The user's function, from under all of ours. */
export function originalDelay(delay: CalculateDelay | undefined): CalculateDelay | undefined {
  const original = (delay as Marked | undefined)?.[mark];
  return original === undefined ? delay : originalDelay(original());
}
