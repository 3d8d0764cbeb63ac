import { defaultRetryPolicy } from "@retry-budget/core";
import { FlakyServer, status } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { driver as axios } from "../packages/axios/test/driver.js";
import { driver as got } from "../packages/got/test/driver.js";
import { driver as pRetry } from "../packages/p-retry/test/driver.js";
import { driver as undici } from "../packages/undici/test/driver.js";

test("adapters that are called without options share one budget per origin", async () => {
  const server = await FlakyServer.start(status(503));
  const clients = [undici, axios, got, pRetry].map((driver) => driver.create(undefined, 1));
  for (let round = 0; round < 5; round++) {
    for (const client of clients) await client.send(server.url);
  }
  // 10 tokens, and 19 deposits of a tenth: the first one came when the budget was full.
  expect(server.hits).toHaveLength(20 + 11);
  expect(defaultRetryPolicy().snapshot()).toMatchObject([
    { origin: server.url, originals: 20, retries: 11, balance: 0 },
  ]);
  for (const client of clients) await client.close();
  await server.close();
}, 30_000);
