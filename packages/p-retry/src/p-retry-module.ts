import type { Options } from "p-retry";

export type PRetry = <Result>(
  input: (attemptNumber: number) => PromiseLike<Result> | Result,
  options?: Options,
) => Promise<Result>;

export type AbortErrorClass = new (error: Error) => Error;

/** What p-retry exports; it is handed over, so that any major of it can be used. */
export interface PRetryModule {
  readonly pRetry: PRetry;
  readonly AbortError: AbortErrorClass;
}

/** @throws TypeError that names what is missing. */
export function expectPRetryModule(value: unknown): PRetryModule {
  const module = Object(value) as PRetryModule;
  for (const name of ["pRetry", "AbortError"] as const) {
    if (typeof module[name] === "function") continue;
    throw new TypeError(
      `Expected \`module.${name}\` to be the one that p-retry exports, got ${String(module[name])}. ` +
        'Write: import pRetry, { AbortError } from "p-retry"; retryBudget({ pRetry, AbortError })',
    );
  }
  return module;
}
