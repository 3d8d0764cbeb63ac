import { contain, expectKey, type Warn } from "@retry-budget/core";

/** Says by the error of a failed attempt what was called; `undefined` where the error does not tell. */
export type KeyOfError = (error: Error) => string | URL | undefined;

/** What a call goes to: a URL, the name of something that is no HTTP, or a function of the error. */
export type Key = string | URL | KeyOfError;

/** @throws TypeError if the value is neither a URL nor a name nor a function. */
export function expectKeyOrFunction(field: string, value: unknown): string | KeyOfError {
  return isFunction(value) ? value : expectKey(field, value);
}

export function isFunction(key: unknown): key is KeyOfError {
  return typeof key === "function";
}

/** What the function says, if it is a key; whatever it does, no request fails by it. */
export function askForKey(ofError: KeyOfError, error: unknown, warn: Warn): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const key = contain(warn, "key", () => ofError(error));
  if (key === undefined) return undefined;
  return contain(warn, "key", () => expectKey("key(error)", key));
}

/**
 * Takes a function out of a call's own options: core reads the rest of them, and all of those that
 * name a key, mistakes included.
 */
export function splitKey(own: unknown): { readonly key?: unknown; readonly options: unknown } {
  try {
    const { key, ...options } = Object(own);
    return { key, options: isFunction(key) ? options : own };
  } catch {
    // A getter threw, and will again when core reads them, which warns of it.
    return { options: own };
  }
}
