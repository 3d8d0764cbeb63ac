import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import { serve, status } from "@retry-budget/testkit";
import got, { HTTPError } from "got";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";

failOnStrayErrors();

test("got-01: three hits, one deposit, two tokens; the error is got's own", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const error = await errorOf(client(server.url));
  expect(error).toBeInstanceOf(HTTPError);
  expect(error.request?.retryCount).toBe(2);
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
  ]);
});

test("got-02: with an empty budget the HTTPError comes at once, with its body and the refusal", async () => {
  const server = await serve(unavailable);
  const events: unknown[] = [];
  const policy = createRetryPolicy({ initial: 0 });
  policy.subscribe((event) => events.push(event));
  const begin = performance.now();
  const retry = { calculateDelay: () => 60_000 };
  const error = await errorOf(got.extend(retryBudget(policy))(server.url, { retry }));
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(error).toBeInstanceOf(HTTPError);
  expect([error.response?.body, error.request?.retryCount]).toEqual(["answer 503", 0]);
  expect(refusalOf(error)).toMatchObject({ refusal: "budget" });
  expect(events).toContainEqual(expect.objectContaining({ type: "refused", refusal: "budget" }));
});

test("got-03: with throwHttpErrors: false it resolves with the 503 (#2103)", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ initial: 0 });
  const response = await client(server.url, { throwHttpErrors: false });
  expect([response.statusCode, response.body]).toEqual([503, "answer 503"]);
  expect(refusalOf(response)).toMatchObject({ refusal: "budget" });
});

test("got-04: a POST is sent once and costs nothing (#1672, #757, #1882)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client.post(server.url, { json: { a: 1 } }));
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { method: 1 } }]);
});

test("got-05: 400, 404, 413 without Retry-After and limit 0 are one hit each and cost nothing (#1277)", async () => {
  const { client, policy } = fixture();
  for (const code of [400, 404, 413]) {
    const server = await serve(status(code));
    await errorOf(client(server.url));
    expect(server.hits).toHaveLength(1);
  }
  const server = await serve(unavailable);
  const error = await errorOf(client(server.url, { retry: { limit: 0 } }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts" });
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot().map(({ balance }) => balance)).toEqual([10, 10, 10, 10]);
});

test("got-06: a calculateDelay that never ends meets the cap (#2102, #2415)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client(server.url, { retry: { limit: 50, calculateDelay: () => 2 } }));
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
  ]);
});

test("got-07: a calculateDelay that retries a POST does not make it idempotent (#2243)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client.post(server.url, { body: "x", retry: { calculateDelay: () => 1 } }));
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("got-33: 400 failing originals in waves of 40 stay within the bound", async () => {
  const server = await serve(unavailable);
  const { client } = fixture();
  for (let wave = 0; wave < 10; wave++) {
    await Promise.all(Array.from({ length: 40 }, () => errorOf(client(server.url))));
  }
  expect(server.hits.length).toBeLessThanOrEqual(400 + 10 + 40);
  expect(server.hits.length).toBeGreaterThan(400 + 40);
});

test("got-34: from nothing, ten successes buy exactly one retry", async () => {
  const server = await serve(...Array.from({ length: 10 }, () => ok), unavailable);
  const { client } = fixture({ initial: 0 });
  for (let request = 0; request < 10; request++) await client(server.url);
  await errorOf(client(server.url));
  expect(server.hits).toHaveLength(12);
});

test("got-37: 50 at once with three tokens and an asynchronous calculateDelay make exactly three retries", async () => {
  const server = await serve(unavailable);
  const { plugin } = fixture({ initial: 3, ratio: 0 });
  const client = got.extend(plugin, {
    retry: {
      calculateDelay: async ({ computedValue }) => {
        await setImmediate();
        return computedValue && 2;
      },
    },
  });
  await Promise.all(Array.from({ length: 50 }, () => errorOf(client(server.url))));
  expect(server.hits).toHaveLength(53);
});

test("a deposit on success is earned by promises and by streams", async () => {
  const server = await serve(ok);
  const { client, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  await client(server.url);
  expect(policy.snapshot()).toMatchObject([{ balance: 1 }]);
  await text(client.stream(server.url));
  expect(policy.snapshot()).toMatchObject([{ balance: 2 }]);
});

test("what got cannot make options of fails as with bare got", async () => {
  const { client } = fixture();
  for (const bad of [{ timeout: "soon" }, { retry: { limit: 0 }, headers: 7 }]) {
    const [ours, bare] = [
      await errorOf(client("http://127.0.0.1:1", bad as never)),
      await errorOf(got("http://127.0.0.1:1", bad as never)),
    ];
    expect([ours.name, ours.message]).toEqual([bare.name, bare.message]);
  }
  await expect(errorOf(client(undefined as never))).resolves.toBeInstanceOf(Error);
});

test.each([["a string"], [7], [null], [{ ratios: 1 }]])(
  "retryBudget(%j) is a TypeError at set-up",
  (options) => {
    expect(() => retryBudget(options as never)).toThrow(TypeError);
  },
);

test("got-35: the error of a refusal's event has a readable body (#1423)", async () => {
  const server = await serve(status(503, { "content-type": "application/json" }, '{"down":true}'));
  const { client, policy } = fixture({ initial: 0 });
  const error = await errorOf(client(server.url, { responseType: "json" }));
  expect(error.response?.body).toEqual({ down: true });
  expect(refusalOf(error)).toMatchObject({ refusal: "budget", origin: server.url });
  expect(refusalOf(error.response)).toEqual(refusalOf(error));
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 0 }]);
});
