import { mistake } from "@retry-budget/core";
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
    const expected =
      'the one that p-retry exports (import pRetry, { AbortError } from "p-retry"; ' +
      "retryBudget({ pRetry, AbortError }))";
    throw mistake(`module.${name}`, expected, module[name]);
  }
  return module;
}
