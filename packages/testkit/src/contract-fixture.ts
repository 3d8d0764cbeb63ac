import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { onTestFinished } from "vitest";
import type { Driver, DriverClient } from "./driver.js";
import { type Reply, status } from "./flaky-server.js";

export const ok: Reply = status(200);
export const unavailable: Reply = status(503);

export interface Fixture {
  readonly policy: RetryPolicy;
  readonly client: DriverClient;
}

/** Makes policies, and clients of this driver's under them, which end with the test. */
export function fixtureOf(
  driver: Driver,
): (options?: RetryPolicyOptions, wait?: number) => Fixture {
  return (options = {}, wait = 1) => {
    const policy = createRetryPolicy({ backoff: () => wait, ...options });
    return { policy, client: connect(driver, policy, wait) };
  };
}

export function connect(driver: Driver, policy: RetryPolicy, wait = 1): DriverClient {
  const client = driver.create(policy, wait);
  onTestFinished(() => client.close());
  return client;
}

export function balanceOf(policy: RetryPolicy): number | undefined {
  return policy.snapshot()[0]?.balance;
}
