import { Agent as HttpAgent } from "node:http";
import { retryBudget as budgetAxios } from "@retry-budget/axios";
import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget as budgetGot } from "@retry-budget/got";
import { retryBudget as budgetPRetry } from "@retry-budget/p-retry";
import { type FlakyServer, serve, status } from "@retry-budget/testkit";
import { retryBudget as budgetUndici } from "@retry-budget/undici";
import axios from "axios";
import got from "got";
import pRetry, { AbortError } from "p-retry";
import { Agent, fetch } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";

// 660 requests, on what may be a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** At a time: so few that no deposit meets a full budget. */
const callers = 16;
const shortWaits: RetryPolicyOptions = { backoff: { base: 1, max: 1 } };
const header = "x-original";

/** Rejects where the status is a failure. */
type Send = (url: string, original: string) => Promise<unknown>;

/** Clients that make three attempts, under a policy. */
const clients: Record<string, (policy: RetryPolicy) => Send> = {
  got: (policy) => {
    const http = new HttpAgent({ keepAlive: true });
    onTestFinished(() => http.destroy());
    const client = got.extend(budgetGot(policy), {
      agent: { http },
      retry: { limit: 2, calculateDelay: ({ computedValue }) => computedValue && 1 },
    });
    return (url, original) => client(url, { headers: { [header]: original } });
  },
  axios: (policy) => {
    const httpAgent = new HttpAgent({ keepAlive: true });
    onTestFinished(() => httpAgent.destroy());
    const instance = axios.create({ httpAgent, proxy: false });
    budgetAxios(instance, policy);
    return (url, original) => instance.get(url, { headers: { [header]: original } });
  },
  "undici's fetch": (policy) => {
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(budgetUndici(policy));
    return async (url, original) => {
      const response = await fetch(url, { dispatcher, headers: { [header]: original } });
      await response.arrayBuffer();
      // fetch does not reject by itself.
      if (!response.ok) throw new Error(`status ${response.status}`);
    };
  },
};

describe.each(Object.entries(clients))("p-retry around %s around a server in outage", (_, make) => {
  test("600 calls are 660 requests, three at most for one call", async () => {
    const server = await serve(status(503));
    // Empty, as a long outage leaves it.
    const outer = createRetryPolicy({ ...shortWaits, initial: 0 });
    const inner = createRetryPolicy(shortWaits);
    await callAll(600, server, outer, make(inner));

    expect(server.hits).toHaveLength(660);
    const attempts = attemptsByOriginal(server);
    expect(attempts.size).toBe(600);
    expect(Math.max(...attempts.values())).toBeLessThanOrEqual(3);
    expect(outer.snapshot()).toMatchObject([{ originals: 600, retries: 60 }]);
    expect(inner.snapshot()).toMatchObject([
      { originals: 0, retries: 0, balance: 10, refusals: { layer: 660 } },
    ]);
  });

  test("with tokens enough one call is three requests, and nine where both are to retry", async () => {
    const one = await serve(status(503));
    await callAll(3, one, createRetryPolicy(shortWaits), make(createRetryPolicy(shortWaits)));
    expect([...attemptsByOriginal(one).values()]).toEqual([3, 3, 3]);

    const both = await serve(status(503));
    const plenty = { ...shortWaits, capacity: 100, oneLayer: false };
    await callAll(3, both, createRetryPolicy(plenty), make(createRetryPolicy(plenty)));
    expect([...attemptsByOriginal(both).values()]).toEqual([9, 9, 9]);
  });
});

async function callAll(
  originals: number,
  { url }: FlakyServer,
  policy: RetryPolicy,
  send: Send,
): Promise<void> {
  const retry = budgetPRetry({ pRetry, AbortError }, policy);
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < originals) {
      const original = String(begun++);
      const options = { retries: 2, minTimeout: 1, maxTimeout: 1 };
      await expect(retry(() => send(url, original), options)).rejects.toThrow();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

function attemptsByOriginal({ hits }: FlakyServer): Map<unknown, number> {
  const attempts = new Map<unknown, number>();
  for (const { headers } of hits) {
    attempts.set(headers[header], (attempts.get(headers[header]) ?? 0) + 1);
  }
  return attempts;
}
