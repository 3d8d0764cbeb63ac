import { textOf } from "./text-of.js";
import type { Warn } from "./warner.js";

/**
 * Asks a function of the user's that must not be able to fail a request: what it throws, also later
 * as a promise, is warned about once, and then it counts as absent.
 */
export function contain<Result>(warn: Warn, name: string, ask: () => Result): Result | undefined {
  const report = (error: unknown): void => warnOfThrow(warn, name, error);
  try {
    const result = ask();
    if (isThenable(result)) result.then(undefined, report);
    return result;
  } catch (error) {
    report(error);
    return undefined;
  }
}

export function warnOfThrow(warn: Warn, name: string, error: unknown): void {
  warn(
    `RETRY_BUDGET_${name.toUpperCase()}`,
    `\`${name}\` of the retry budget threw: ${textOf(error)}`,
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
