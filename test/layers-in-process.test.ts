import { retryBudget as budgetAxios } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget as budgetGot } from "@retry-budget/got";
import { errorOf, serve, status } from "@retry-budget/testkit";
import axios from "axios";
import got from "got";
import { expect, test } from "vitest";

const fast = { backoff: { base: 1, max: 1 } } as const;

test("axios in a hook of got's neither earns nor retries; beside it, it does", async () => {
  const [server, token] = [await serve(status(503), status(200)), await serve(status(503))];
  const [policy, tokenPolicy] = [createRetryPolicy(fast), createRetryPolicy(fast)];
  const client = got.extend(budgetGot(policy), {
    retry: { calculateDelay: ({ computedValue }) => computedValue && 1 },
  });
  const tokens = axios.create();
  budgetAxios(tokens, tokenPolicy);
  const refusals: unknown[] = [];
  const beforeRequest = [
    async (): Promise<void> => {
      refusals.push(refusalOf(await errorOf(tokens.get(token.url)))?.refusal);
    },
  ];
  await client(server.url, { hooks: { beforeRequest } });

  expect(refusals).toEqual(["layer", "layer"]);
  expect([server.hits.length, token.hits.length]).toEqual([2, 2]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  expect(tokenPolicy.snapshot()).toMatchObject([{ originals: 0, retries: 0, balance: 10 }]);

  await errorOf(tokens.get(token.url));
  expect(tokenPolicy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
});
