import { createRequire } from "node:module";
import { createBudgets } from "@retry-budget/core";
import { StandardRetryStrategy } from "@smithy/core/retry";

/** One way to keep account of retries, for any number of origins. */
export interface Subject {
  readonly name: string;
  /** Makes the account of one request that fails once: look-up, deposit, withdrawal. */
  prepare(origins: readonly string[]): (origin: string) => unknown;
}

const each = <Value>(origins: readonly string[], make: () => Value): Map<string, Value> =>
  new Map(origins.map((origin) => [origin, make()]));

/** The physical limit: nothing that keeps an account by origin can do less. */
const bare: Subject = {
  name: "Map.get and two additions",
  prepare: (origins) => {
    const accounts = each(origins, () => ({ held: 0 }));
    return (origin) => {
      const account = accounts.get(origin) as { held: number };
      account.held = Math.min(10_000_000, account.held + 100_000);
      if (account.held < 1_000_000) return false;
      account.held -= 1_000_000;
      return true;
    };
  },
};

const ours: Subject = {
  name: "@retry-budget/core",
  prepare: (origins) => {
    const budgets = createBudgets({ maxOrigins: 1_000_000 });
    for (const origin of origins) budgets.of(origin);
    return (origin) => {
      const budget = budgets.of(origin);
      budget.deposit();
      return budget.withdraw();
    };
  },
};

interface RetryThrottler {
  addCallSucceeded(): void;
  addCallFailed(): void;
  canRetryCall(): boolean;
}

// Internal to grpc-js, which keeps one by target name.
const { RetryThrottler: Throttler } = createRequire(import.meta.url)(
  "@grpc/grpc-js/build/src/retrying-call.js",
) as { RetryThrottler: new (maxTokens: number, tokenRatio: number) => RetryThrottler };

const grpc: Subject = {
  name: "grpc-js RetryThrottler",
  prepare: (origins) => {
    const throttlers = each(origins, () => new Throttler(10, 0.1));
    return (origin) => {
      const throttler = throttlers.get(origin) as RetryThrottler;
      throttler.addCallSucceeded();
      throttler.addCallFailed();
      return throttler.canRetryCall();
    };
  },
};

interface SmithyStrategy {
  recordSuccess(token: unknown): void;
  retryCode(token: unknown, error: { errorType: string }, maxAttempts: number): number;
}

// Only its synchronous half: the public calls are asynchronous, and the second one sleeps.
const smithy: Subject = {
  name: "smithy StandardRetryStrategy",
  prepare: (origins) => {
    const strategies = each(
      origins,
      () => new StandardRetryStrategy(3) as unknown as SmithyStrategy,
    );
    const token = { getRetryCost: () => undefined, getRetryCount: () => 0 };
    const error = { errorType: "TRANSIENT" };
    return (origin) => {
      const strategy = strategies.get(origin) as SmithyStrategy;
      strategy.recordSuccess(token);
      return strategy.retryCode(token, error, 3) === 0;
    };
  },
};

export const subjects: readonly Subject[] = [bare, ours, grpc, smithy];
