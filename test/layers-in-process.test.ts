import * as budgetedAxios from "@retry-budget/axios";
import { createRetryPolicy, type RetryPolicy, refusalOf } from "@retry-budget/core";
import * as budgetedGot from "@retry-budget/got";
import * as budgetedPRetry from "@retry-budget/p-retry";
import { errorOf, serve, status } from "@retry-budget/testkit";
import axios from "axios";
import got from "got";
import pRetry, { AbortError } from "p-retry";
import { expect, test } from "vitest";

const unavailable = status(503);
const fast = { backoff: { base: 1, max: 1 } } as const;

const retriesOf = (policy: RetryPolicy): number =>
  policy.snapshot().reduce((sum, { retries }) => sum + retries, 0);

function layers() {
  const [outer, inner] = [createRetryPolicy(fast), createRetryPolicy(fast)];
  return {
    outer,
    inner,
    retried: budgetedPRetry.retryBudget({ pRetry, AbortError }, outer),
    client: got.extend(budgetedGot.retryBudget(inner), {
      retry: { calculateDelay: ({ computedValue }) => computedValue && 1 },
    }),
  };
}

const pRetryOptions = { retries: 2, minTimeout: 1, maxTimeout: 1 };

test("p-retry around got makes three attempts at most, not nine, and got says why it made no more", async () => {
  const server = await serve(unavailable);
  const { retried, client, inner } = layers();
  const error = await errorOf(retried(() => client(server.url), pRetryOptions));
  expect(server.hits).toHaveLength(3);
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
  expect(inner.snapshot()).toMatchObject([{ originals: 0, retries: 0, refusals: { layer: 3 } }]);
});

test("over 600 originals p-retry around got amplifies by 1.1 and its tokens, and not by nine", async () => {
  const server = await serve(unavailable);
  const { retried, client, outer, inner } = layers();
  for (let original = 0; original < 600; original++) {
    await errorOf(retried(() => client(server.url), pRetryOptions));
  }
  // Ten tokens to begin with, and one for each ten originals.
  expect(server.hits.length).toBeLessThanOrEqual(600 + 10 + 60);
  expect([retriesOf(outer), retriesOf(inner)]).toEqual([server.hits.length - 600, 0]);
});

test("axios in a hook of got's neither earns nor retries; beside it, it does", async () => {
  const [server, token] = [await serve(unavailable, status(200)), await serve(unavailable)];
  const { client, inner: gotPolicy } = layers();
  const policy = createRetryPolicy(fast);
  const tokens = axios.create();
  budgetedAxios.retryBudget(tokens, policy);
  const beforeRequest = [
    async (): Promise<void> => {
      expect(refusalOf(await errorOf(tokens.get(token.url)))).toMatchObject({ refusal: "layer" });
    },
  ];
  await client(server.url, { hooks: { beforeRequest } });
  expect([server.hits.length, token.hits.length]).toEqual([2, 2]);
  expect([retriesOf(gotPolicy), policy.snapshot()]).toMatchObject([
    1,
    [{ originals: 0, retries: 0, balance: 10 }],
  ]);
  await errorOf(tokens.get(token.url));
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
});
