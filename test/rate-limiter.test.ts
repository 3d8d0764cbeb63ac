import { createServer } from "node:http";
import { createRetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { hang, listen, type Reply, serve, status, until } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import PQueue from "p-queue";
import { Agent, request, upgrade } from "undici";
import { expect, onTestFinished, test } from "vitest";
// biome-ignore lint/correctness/useImportExtensions: the examples are JavaScript.
import { limitAttempts } from "../examples/limit-attempts.mjs";

interface Limit {
  readonly concurrency?: number;
  readonly interval?: number;
  readonly intervalCap?: number;
}

/** A client with a budget, and a limiter inside or outside of it. */
function limited(order: "inside" | "outside", limit: Limit, options: RetryPolicyOptions = {}) {
  const clock = createManualClock();
  const queue = new PQueue(limit);
  let started = 0;
  queue.on("active", () => started++);
  const policy = createRetryPolicy({ clock, backoff: () => 100, ...options });
  const [limiter, budget] = [limitAttempts(queue), retryBudget(policy)];
  const agent = new Agent();
  const dispatcher =
    order === "inside" ? agent.compose(limiter, budget) : agent.compose(budget, limiter);
  onTestFinished(() => agent.destroy());
  const load = async (url: string, caller?: AbortController): Promise<number> => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal: caller?.signal ?? null,
    });
    await body.dump();
    return statusCode;
  };
  return { clock, queue, policy, load, dispatcher, started: () => started };
}

/** Answers in the order of arrival, when a test says so. */
function held() {
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  let most = 0;
  const reply: Reply = (response) => {
    most = Math.max(most, ++inFlight);
    waiting.push(() => {
      inFlight--;
      response.writeHead(503).end();
    });
  };
  return { reply, waiting, most: () => most };
}

test("whatever reaches the server has come through the limiter, the retries as well", async () => {
  const { reply, waiting, most } = held();
  const server = await serve(reply);
  const { clock, queue, policy, load, started } = limited("inside", { concurrency: 2 });
  let ended = 0;
  const calls = Array.from({ length: 30 }, async () => {
    await load(server.url);
    ended++;
  });
  while (ended < calls.length) {
    await until(() => waiting.length > 0 || clock.pending > 0 || ended === calls.length);
    waiting.shift()?.();
    if (waiting.length === 0) clock.advance(100);
  }
  const [{ originals, retries } = { originals: 0, retries: 0 }] = policy.snapshot();
  expect(originals).toBe(30);
  expect(retries).toBeGreaterThanOrEqual(10);
  expect([server.hits.length, started()]).toEqual([originals + retries, originals + retries]);
  expect(most()).toBe(2);
  expect([queue.size, queue.pending]).toEqual([0, 0]);
});

test("retries take their part of a rate: 5 in an interval are all that the server gets", async () => {
  const server = await serve(status(503));
  const { clock, queue, policy, load } = limited("inside", { interval: 3_600_000, intervalCap: 5 });
  const caller = new AbortController();
  const calls = [1, 2].map(() => load(server.url, caller));
  await until(() => clock.pending === 2);
  clock.advance(100);
  await until(() => clock.pending === 2);
  clock.advance(100);
  // Two originals, a retry of each, and a second one of one of them; the other's has to wait.
  expect(await Promise.race(calls)).toBe(503);
  expect([server.hits.length, queue.size]).toEqual([5, 1]);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 3, balance: 6 }]);
  caller.abort();
  await Promise.allSettled(calls);
  expect(policy.snapshot()).toMatchObject([{ retries: 3, balance: 7 }]);
});

test("no slot is held during a backoff", async () => {
  const server = await serve(status(503), status(200));
  const { clock, queue, load } = limited("inside", { concurrency: 1 });
  const first = load(server.url);
  await until(() => clock.pending === 1);
  expect(queue.pending).toBe(0);
  expect(await load(server.url)).toBe(200);
  expect([server.hits.length, clock.pending]).toEqual([2, 1]);
  clock.advance(100);
  expect(await first).toBe(200);
  expect(server.hits).toHaveLength(3);
});

test("in the wrong order the slot is held, and the limiter does not count the retry", async () => {
  const server = await serve(status(503), status(200));
  const { clock, queue, load, started } = limited("outside", { concurrency: 1 });
  const calls = [load(server.url), load(server.url)];
  await until(() => clock.pending === 1);
  expect([queue.pending, queue.size, server.hits.length]).toEqual([1, 1, 1]);
  clock.advance(100);
  expect(await Promise.all(calls)).toEqual([200, 200]);
  expect([server.hits.length, started()]).toEqual([3, 2]);
});

test("an abort of a retry in the limiter's queue gives the token back, and nothing is sent", async () => {
  const server = await serve(status(503));
  const other = await serve(hang());
  const { clock, queue, policy, load, dispatcher } = limited("inside", { concurrency: 1 });
  let given = 0;
  queue.on("completed", () => given++);
  const balance = () => policy.snapshot().find(({ origin }) => origin === server.url)?.balance;
  const caller = new AbortController();
  const call = load(server.url, caller);
  await until(() => clock.pending === 1);
  const occupier = new AbortController();
  const occupying = load(other.url, occupier);
  await other.received(1);
  clock.advance(100);
  await until(() => queue.size === 1);
  expect(balance()).toBe(9);

  caller.abort();
  await expect(call).rejects.toThrow("aborted");
  expect(balance()).toBe(10);

  occupier.abort();
  await expect(occupying).rejects.toThrow("aborted");
  await queue.onIdle();
  await dispatcher.close();
  // Of the slots that were given one was the original's and one the occupier's.
  expect([server.hits.length, given]).toEqual([1, 2]);
  expect(policy.snapshot()).toMatchObject([{ retries: 0, refusals: { aborted: 1 } }, {}]);
});

test("a connection that is upgraded gives its slot back", async () => {
  const server = createServer().on("upgrade", (_, socket) => {
    socket.end("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { queue, dispatcher } = limited("inside", { concurrency: 1 });
  const { socket } = await upgrade(url, { dispatcher, protocol: "x" });
  onTestFinished(() => void socket.destroy());
  await until(() => queue.pending === 0);
});
