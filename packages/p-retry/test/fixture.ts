import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import {
  type BudgetedOptions,
  type BudgetedPRetry,
  type Key,
  retryBudget,
} from "@retry-budget/p-retry";
import pRetry, { AbortError, type Options } from "p-retry";

export interface Fixture {
  readonly policy: RetryPolicy;
  readonly retry: BudgetedPRetry<Options>;
  /** Fails with E1, E2, … */
  readonly fail: () => never;
  /** How often `fail` was called. */
  readonly attempts: () => number;
  /** Originals, retries and balance of each budget. */
  readonly net: () => [originals: number, retries: number, balance: number][];
}

export function fixture(options: RetryPolicyOptions = {}, key: Key = "db"): Fixture {
  const policy = createRetryPolicy(options);
  let attempts = 0;
  return {
    policy,
    retry: retryBudget({ pRetry, AbortError }, policy, { key }),
    fail: () => {
      throw new Error(`E${++attempts}`);
    },
    attempts: () => attempts,
    net: () =>
      policy.snapshot().map(({ originals, retries, balance }) => [originals, retries, balance]),
  };
}

export const quick: BudgetedOptions<Options> = { retries: 5, minTimeout: 2 };

/** Warnings of the process while the work runs, by name. */
export async function warningNamesDuring(work: () => unknown): Promise<string[]> {
  const names: string[] = [];
  const listener = ({ name }: Error): number => names.push(name);
  process.on("warning", listener);
  await work();
  // Node emits them in a later turn.
  await new Promise(setImmediate);
  process.off("warning", listener);
  return names;
}

/** A signal that counts who listens. */
export function countedSignal(): { signal: AbortSignal; listeners: () => number } {
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: [string, never]) => {
    listening.add(args[1]);
    return Reflect.apply(addEventListener, signal, args);
  };
  signal.removeEventListener = (...args: [string, never]) => {
    listening.delete(args[1]);
    return Reflect.apply(removeEventListener, signal, args);
  };
  return { signal, listeners: () => listening.size };
}
