import { type Warn, warnOfThrow } from "./warnings.js";

/**
 * Asks a function of the user's that must not be able to fail a request: what it throws, also later
 * as a promise, is warned about once, and then it counts as absent.
 */
export function contain<Result>(warn: Warn, name: string, ask: () => Result): Result | undefined {
  try {
    const result = ask();
    if (isThenable(result)) result.then(undefined, (error) => warnOfThrow(warn, name, error));
    return result;
  } catch (error) {
    warnOfThrow(warn, name, error);
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
