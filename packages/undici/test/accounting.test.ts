import { type Reply, serve, status } from "@retry-budget/testkit";
import { request } from "undici";
import { expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

async function statusOf(url: string, options: object): Promise<number> {
  const { statusCode, body } = await request(url, options);
  await body.dump();
  return statusCode;
}

test("ten requests in sequence with two tokens, at ratio 0.1, are ten originals and three retries", async () => {
  const server = await serve(status(503));
  const { dispatcher, policy } = budgetedAgent({ initial: 2 });
  for (let sent = 0; sent < 10; sent++) await statusOf(server.url, { dispatcher });
  expect(server.hits).toHaveLength(13);
  expect(policy.snapshot()).toMatchObject([{ originals: 10, retries: 3, balance: 0 }]);
});

test("a hundred at once, each failing first, all end well", async () => {
  const failed = new Set<string>();
  const firstFails: Reply = (response, { url = "" }) => {
    response.writeHead(failed.has(url) ? 200 : 503).end("x");
    failed.add(url);
  };
  const server = await serve(firstFails);
  const { dispatcher, policy } = budgetedAgent({ capacity: 1000 });
  const urls = Array.from({ length: 100 }, (_, index) => `${server.url}/${index}`);
  const statuses = await Promise.all(urls.map((url) => statusOf(url, { dispatcher })));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(server.hits).toHaveLength(200);
  expect(policy.snapshot()).toMatchObject([{ originals: 100, retries: 100 }]);
});
