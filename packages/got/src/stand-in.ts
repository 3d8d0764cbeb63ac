import type { RetryOptions } from "got";

export type CalculateDelay = RetryOptions["calculateDelay"];

// Options are cloned with all that is in them, so that a page of a pagination or another copy of
// this package meets what an earlier request has put there.
const mark: unique symbol = Symbol.for("retry-budget.got-hook.v1");

interface Marked {
  [mark]?: () => CalculateDelay | undefined;
}

const forNothing = (): undefined => undefined;

/** Marks a function of ours, with the user's that it stands in front of. */
export function standIn<Hook extends object>(
  hook: Hook,
  original: () => CalculateDelay | undefined = forNothing,
): Hook {
  (hook as Marked)[mark] = original;
  return hook;
}

/** Without ours. */
export function usersOf<Hook>(list: Hook[] = []): Hook[] {
  return list.filter((hook) => (hook as Marked)[mark] === undefined);
}

/** The user's function, from under all of ours. */
export function userDelay(delay: CalculateDelay | undefined): CalculateDelay | undefined {
  const original = (delay as Marked | undefined)?.[mark];
  return original === undefined ? delay : userDelay(original());
}
