import { mistake } from "@retry-budget/core";

export type Input<Result> = (attemptNumber: number) => PromiseLike<Result> | Result;

/** Of whichever major, or fork of one: its options are known by the function that is handed over. */
export type PRetry<Options extends object> = <Result>(
  input: Input<Result>,
  options?: Options,
) => Promise<Result>;

export type AbortErrorClass = new (error: Error) => Error & { readonly originalError: Error };

/** What p-retry exports; it is handed over, so that any major of it can be used. */
export interface PRetryModule<Options extends object = object> {
  readonly pRetry: PRetry<Options>;
  readonly AbortError: AbortErrorClass;
}

/** @throws TypeError that names what is missing. */
export function expectPRetryModule(value: unknown): PRetryModule {
  const module = Object(value) as PRetryModule;
  if (typeof module.pRetry !== "function") throw missing("pRetry", module.pRetry);
  // Every failure is held against this class: one that is none would throw there.
  if (!(module.AbortError?.prototype instanceof Error)) {
    throw missing("AbortError", module.AbortError);
  }
  return module;
}

function missing(name: string, value: unknown): TypeError {
  const expected =
    'the one that p-retry exports (import pRetry, { AbortError } from "p-retry"; ' +
    "retryBudget({ pRetry, AbortError }))";
  return mistake(`module.${name}`, expected, value);
}
