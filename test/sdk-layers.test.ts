import Anthropic from "@anthropic-ai/sdk";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { createRetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import OpenAI from "openai";
import { Agent, fetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { serve, status, warningsDuring } from "../packages/testkit/src/index.js";

const clients = { OpenAI, Anthropic };

/** Lists models of a server that is down, with a budget under the SDK. Says what came of it. */
async function meet(name: keyof typeof clients, maxRetries: number, options?: RetryPolicyOptions) {
  // So that the SDK waits no longer, either.
  const server = await serve(status(503, { "retry-after-ms": "1" }));
  const policy = createRetryPolicy({ backoff: { base: 1 }, ...options });
  const refusals: string[] = [];
  policy.subscribe((event) => {
    if (event.type === "refused") refusals.push(event.refusal);
  });
  const dispatcher = new Agent().compose(retryBudget(policy));
  onTestFinished(() => dispatcher.close());
  const client = new clients[name]({
    apiKey: "none",
    baseURL: server.url,
    maxRetries,
    fetch: (url, init) => fetch(String(url), { ...init, dispatcher } as object) as never,
  });
  const warnings = await warningsDuring(() =>
    client.models.list().then(undefined, () => undefined),
  );
  return { requests: server.hits.length, refusals, warnings };
}

test.each(["OpenAI", "Anthropic"] as const)(
  "the budget stands down under the retries of the SDK of %s, and warns of them once",
  async (name) => {
    expect(await meet(name, 2)).toEqual({
      // The first of its three requests does not tell yet that others will follow.
      requests: 3 + 1 + 1,
      refusals: ["attempts", "layer", "layer"],
      warnings: ["RETRY_BUDGET_LAYER"],
    });
  },
);

test("an SDK whose retries are off leaves them to the budget, and nothing is warned of", async () => {
  expect(await meet("OpenAI", 0)).toEqual({ requests: 3, refusals: ["attempts"], warnings: [] });
});

test("without `oneLayer` both retry, and multiply", async () => {
  expect(await meet("OpenAI", 2, { oneLayer: false })).toEqual({
    requests: 3 * 3,
    refusals: ["attempts", "attempts", "attempts"],
    warnings: [],
  });
});

test("the AWS SDK has a budget of its own, of 500 tokens, of which a retry costs 14", async () => {
  const server = await serve(status(503));
  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const client = new STSClient({ endpoint: server.url, region: "eu-north-1", credentials });
  onTestFinished(() => client.destroy());
  const call = (): Promise<unknown> => client.send(new GetCallerIdentityCommand());
  await Promise.allSettled(Array.from({ length: 40 }, call));
  expect(server.hits).toHaveLength(40 + Math.floor(500 / 14));
});
