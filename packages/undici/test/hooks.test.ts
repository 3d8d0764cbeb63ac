import { AsyncLocalStorage } from "node:async_hooks";
import { refusalOf } from "@retry-budget/core";
import { errorOf, type Reply, refusingUrl, serve, status } from "@retry-budget/testkit";
import { type Dispatcher, request } from "undici";
import { expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);
const endless: Reply = (response) => {
  response.writeHead(503).write("never ended");
};

test("when onRetry throws after a response, the error names its status and holds its refusal", async () => {
  const server = await serve(unavailable);
  const { dispatcher } = budgetedAgent({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = await errorOf(request(server.url, { dispatcher }));
  expect(error).toMatchObject({ code: "RETRY_BUDGET_ABANDONED", statusCode: 503 });
  expect(String(error)).toContain("503");
  expect(refusalOf(error)).toMatchObject({ refusal: "aborted", attempts: 1 });
});

test("when onRetry throws after an error, that error is the caller's", async () => {
  const { dispatcher } = budgetedAgent({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = await errorOf(request(await refusingUrl(), { dispatcher }));
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});

test("onRetry may use the socket of the response that failed", async () => {
  const server = await serve(endless, ok, ok);
  let inner: Dispatcher | undefined;
  const { dispatcher, agent } = budgetedAgent(
    {
      onRetry: async () => {
        const { body } = await request(server.url, { dispatcher: inner as Dispatcher });
        await body.dump();
      },
    },
    { connections: 1 },
  );
  inner = agent;
  const result = await request(server.url, { dispatcher });
  expect([result.statusCode, await result.body.text(), server.hits.length]).toEqual([
    200,
    "answer 200",
    3,
  ]);
});

test("hooks run in the context of their own request, not of the one that opened the socket", async () => {
  const server = await serve(ok, unavailable, ok);
  const tenant = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const see = (): undefined => {
    seen.push(tenant.getStore());
    return undefined;
  };
  const { dispatcher } = budgetedAgent(
    { classify: see, onRetry: async () => see() },
    { connections: 1 },
  );
  for (const name of ["A", "B"]) {
    await tenant.run(name, async () => (await request(server.url, { dispatcher })).body.dump());
  }
  expect(seen).toEqual(["A", "B", "B", "B"]);
});
