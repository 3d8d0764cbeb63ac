import { Readable } from "node:stream";
import {
  createRetryPolicy,
  type RefusalDetails,
  type RetryPolicy,
  type RetryPolicyOptions,
  refusalOf,
} from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import type { Answer, Driver, DriverClient } from "./driver.js";
import { type FlakyServer, hang, refusingUrl, reset, status, truncate } from "./flaky-server.js";
import { LongTimers } from "./long-timers.js";
import { until } from "./until.js";
import { type Servers, useServers } from "./use-servers.js";

const ok = status(200);
const unavailable = status(503);

/** The guarantees, case by case, over real connections. Every adapter runs it with its driver. */
export function contract(driver: Driver): void {
  const { serve, afterwards } = useServers();

  const connect = (policy: RetryPolicy | undefined, wait = 1): DriverClient => {
    const client = driver.create(policy, wait);
    afterwards(() => client.close());
    return client;
  };

  const fixture = (options: RetryPolicyOptions = {}, wait = 1): Fixture => {
    const policy = createRetryPolicy({ backoff: () => wait, ...options });
    return { policy, client: connect(policy, wait) };
  };

  const balanceOf = (policy: RetryPolicy): number | undefined => policy.snapshot()[0]?.balance;

  describe(`${driver.name} keeps the contract:`, () => {
    test("a 503 and then a 200 is a success at the cost of one token", async () => {
      const server = await serve(unavailable, ok);
      const { policy, client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: 200, body: "answer 200" });
      expect(server.hits).toHaveLength(2);
      expect(policy.snapshot()).toMatchObject([
        {
          origin: server.url,
          balance: 9,
          originals: 1,
          retries: 1,
          refusals: {},
          amplification: 2,
        },
      ]);
    });

    test("a success costs nothing and is sent once", async () => {
      const server = await serve(ok);
      const { policy, client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: 200, failed: false });
      expect(server.hits).toHaveLength(1);
      expect(policy.snapshot()).toMatchObject([{ balance: 10, originals: 1, retries: 0 }]);
    });

    test("in an outage 100 requests are 119 attempts, and not one more", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture();
      for (let request = 0; request < 100; request++) await client.send(server.url);
      expect(server.hits).toHaveLength(100 + 10 + 9);
      expect(policy.snapshot()).toMatchObject([{ originals: 100, retries: 19 }]);
    });

    test("20 requests in sequence with 2 tokens, at ratio 0.1, are 24 attempts exactly", async () => {
      const server = await serve(unavailable);
      const { client } = fixture({ initial: 2, capacity: 10 });
      for (let request = 0; request < 20; request++) await client.send(server.url);
      expect(server.hits).toHaveLength(24);
    });

    test("50 failures at once share three tokens exactly", async () => {
      const server = await serve(unavailable);
      const { client } = fixture({ initial: 3, ratio: 0 });
      await Promise.all(Array.from({ length: 50 }, () => client.send(server.url)));
      expect(server.hits).toHaveLength(53);
    });

    test("the attempts of one request end at the cap, and the last response is the caller's", async () => {
      const server = await serve(unavailable);
      const { client } = fixture();
      const answer = await client.send(server.url);
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "attempts", attempts: 3 });
      expect(server.hits).toHaveLength(3);
    });

    test("an exhausted budget hands over the untouched response at once and says why", async () => {
      const server = await serve(status(503, { "x-trace": "7" }, "the server's own words"));
      const { client } = fixture({ initial: 0 }, 10_000);
      const begin = performance.now();
      const answer = await client.send(server.url);
      expect(answer).toMatchObject({ status: 503, body: "the server's own words" });
      expect(refusalOf(answer.result)).toEqual({
        refusal: "budget",
        origin: server.url,
        attempts: 1,
        balance: 0,
      } satisfies RefusalDetails);
      // Not after the backoff.
      expect(performance.now() - begin).toBeLessThan(5000);
      expect(server.hits).toHaveLength(1);
    });

    test.each([400, 404])("a %d is the caller's and costs nothing", async (code) => {
      const server = await serve(status(code));
      const { policy, client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: code });
      expect(server.hits).toHaveLength(1);
      expect(policy.snapshot()).toMatchObject([{ balance: 10, originals: 1, retries: 0 }]);
    });

    test("a 429 is retried like any other, at the cost of a token", async () => {
      const server = await serve(status(429), ok);
      const { policy, client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect(balanceOf(policy)).toBe(9);
    });

    test("a connection that is reset is retried", async () => {
      const server = await serve(reset(), ok);
      const { policy, client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect([server.hits.length, balanceOf(policy)]).toEqual([2, 9]);
    });

    test("a refused connection is retried up to the cap, and the client's own error is the caller's", async () => {
      const { policy, client } = fixture();
      const answer = await client.send(await refusingUrl());
      expect(answer.failed).toBe(true);
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "attempts", attempts: 3 });
      expect(policy.snapshot()).toMatchObject([{ balance: 8, originals: 1, retries: 2 }]);
    });

    test("a server that hangs ends each attempt by the client's own timeout", async () => {
      const server = await serve(hang(), ok);
      const { policy, client } = fixture();
      expect(await client.send(server.url, { timeout: 500 })).toMatchObject({ status: 200 });
      expect([server.hits.length, balanceOf(policy)]).toEqual([2, 9]);
    });

    test("a body that breaks off is no success", async () => {
      const server = await serve(truncate(), ok);
      const { policy, client } = fixture();
      const answer = await client.send(server.url);
      if (driver.retriesTruncated) {
        expect(answer).toMatchObject({ status: 200, body: "answer 200" });
        expect([server.hits.length, balanceOf(policy)]).toEqual([2, 9]);
      } else {
        // The response was the caller's already: its reading fails, and nothing is sent again.
        expect(answer.failed).toBe(true);
        expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
      }
    });

    test("an abort in flight ends the call at once with the client's own error, and is never retried", async () => {
      const server = await serve(hang());
      const { policy, client } = fixture();
      const controller = new AbortController();
      const answer = client.send(server.url, { signal: controller.signal });
      await server.received(1);
      controller.abort();
      expect(isAbort(await answer)).toBe(true);
      expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
    });

    test("an abort in the backoff ends the call at once; the token is back, and no timer is left", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({}, 10_000);
      const timers = new LongTimers();
      afterwards(() => timers.restore());
      const controller = new AbortController();
      const answer = client.send(server.url, { signal: controller.signal });
      await until(() => balanceOf(policy) === 9 && timers.open > 0);
      const begin = performance.now();
      controller.abort();
      expect(isAbort(await answer)).toBe(true);
      expect(performance.now() - begin).toBeLessThan(2000);
      await until(() => balanceOf(policy) === 10);
      expect([timers.open, server.hits.length]).toEqual([0, 1]);
    });

    test("an abort before the request sends and earns nothing", async () => {
      const server = await serve(ok);
      const { policy, client } = fixture({ initial: 0, ratio: 1 });
      const answer = await client.send(server.url, { signal: AbortSignal.abort() });
      expect(isAbort(answer)).toBe(true);
      expect(server.hits).toHaveLength(0);
      expect(policy.snapshot().map(({ originals }) => originals)).not.toContain(1);
    });

    test("a deadline inside the backoff ends the call at once, and nothing is spent", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({}, 10_000);
      const begin = performance.now();
      const answer = await client.send(server.url, { retryBudget: { deadline: 5000 } });
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "deadline" });
      expect(performance.now() - begin).toBeLessThan(4000);
      expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
    });

    test("an origin in outage takes nothing from another", async () => {
      const [down, healthy] = [await serve(unavailable), await serve(unavailable, ok)];
      const { policy, client } = fixture({ initial: 1, ratio: 0 });
      for (let request = 0; request < 5; request++) {
        await client.send(down.url, { retryBudget: driver.http ? {} : { key: down.url } });
      }
      const options = { retryBudget: driver.http ? {} : { key: healthy.url } };
      expect(await client.send(healthy.url, options)).toMatchObject({ status: 200 });
      expect(down.hits).toHaveLength(6);
      expect(policy.snapshot()).toMatchObject([{ origin: down.url }, { origin: healthy.url }]);
    });

    test("a request that opts out is the bare client's, and nothing is counted", async () => {
      const server = await serve(status(400));
      const { policy, client } = fixture();
      expect(await client.send(server.url, { retryBudget: false })).toMatchObject({ status: 400 });
      expect(policy.snapshot()).toEqual([]);
    });

    test("a request may have attempts of its own", async () => {
      const server = await serve(unavailable);
      const { client } = fixture();
      await client.send(server.url, { retryBudget: { maxAttempts: 2 } });
      expect(server.hits).toHaveLength(2);
    });

    test("a mistake in a request's options fails no request", async () => {
      const server = await serve(ok);
      const { client } = fixture();
      const answer = await client.send(server.url, {
        retryBudget: { maxAttempts: -1, key: 3 } as never,
      });
      expect(answer).toMatchObject({ status: 200 });
    });

    test("two clients with one policy share its budgets", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({ initial: 1, ratio: 0 });
      await client.send(server.url);
      await connect(policy).send(server.url);
      expect(server.hits).toHaveLength(3);
    });

    test("a throwing classify, backoff and observer change nothing", async () => {
      const server = await serve(unavailable, ok);
      const broken = (): never => {
        throw new Error("broken hook");
      };
      const { policy, client } = fixture({ classify: broken, backoff: broken });
      policy.subscribe(broken);
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect([server.hits.length, balanceOf(policy)]).toEqual([2, 9]);
    });

    test("onRetry runs once before each retry is sent, after the failure", async () => {
      const server = await serve(unavailable, unavailable, ok);
      const seen: unknown[] = [];
      const { client } = fixture({
        onRetry: async ({ attempt }) => {
          seen.push([attempt, server.hits.length]);
        },
      });
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect(seen).toEqual([
        [2, 1],
        [3, 2],
      ]);
    });

    test("when onRetry throws nothing more is sent, and the token is back", async () => {
      const server = await serve(unavailable, ok);
      const { policy, client } = fixture({ onRetry: () => Promise.reject(new Error("hook")) });
      const answer = await client.send(server.url);
      expect(answer.status ?? Object(answer.result).statusCode).toBe(503);
      expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
    });

    test("a budget that throws fails no request and grants no retry", async () => {
      const server = await serve(unavailable);
      const budgets = {
        of: (): never => {
          throw new Error("the store is down");
        },
      };
      const { client } = fixture({ budgets });
      expect(await client.send(server.url)).toMatchObject({ status: 503, body: "answer 503" });
      expect(server.hits).toHaveLength(1);
    });
  });

  if (driver.http) httpContract(driver, serve, fixture, balanceOf);
}

interface Fixture {
  readonly policy: RetryPolicy;
  readonly client: DriverClient;
}

function httpContract(
  driver: Driver,
  serve: Servers["serve"],
  fixture: (options?: RetryPolicyOptions, wait?: number) => Fixture,
  balanceOf: (policy: RetryPolicy) => number | undefined,
): void {
  // The instant of RFC 9110's own examples.
  const instant = Date.UTC(1994, 10, 6, 8, 49, 37);
  const clockAt = (wall: number): RetryPolicyOptions["clock"] => ({
    now: () => performance.now(),
    wall: () => wall,
    schedule: (callback, delay) => {
      const timer = setTimeout(callback, delay);
      return () => clearTimeout(timer);
    },
  });
  const gap = ({ hits: [first, second] }: FlakyServer): number =>
    first === undefined || second === undefined ? Number.NaN : second.at - first.at;

  describe(`${driver.name} hears the server:`, () => {
    test("Retry-After in seconds is waited for in full", async () => {
      const server = await serve(status(429, { "retry-after": "1" }), ok);
      const { client } = fixture();
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect(gap(server)).toBeGreaterThanOrEqual(999);
    });

    test.each([
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ])("Retry-After: %s is waited for, in any time zone", async (date) => {
      const zone = process.env["TZ"];
      process.env["TZ"] = "America/New_York";
      try {
        const server = await serve(status(503, { "retry-after": date }), ok);
        const { client } = fixture({ clock: clockAt(instant - 200) });
        expect(await client.send(server.url)).toMatchObject({ status: 200 });
        expect(gap(server)).toBeGreaterThanOrEqual(199);
        expect(gap(server)).toBeLessThan(5000);
      } finally {
        if (zone === undefined) delete process.env["TZ"];
        else process.env["TZ"] = zone;
      }
    });

    test.each(["0", "-1", "1e9", "tomorrow", "0x7fffffff", "1994-11-06", ""])(
      "Retry-After: %j means the client's own backoff",
      async (value) => {
        const server = await serve(status(503, { "retry-after": value }), ok);
        const { policy, client } = fixture();
        expect(await client.send(server.url)).toMatchObject({ status: 200 });
        expect(gap(server)).toBeLessThan(5000);
        expect(balanceOf(policy)).toBe(9);
      },
    );

    test.each(["31", "3600", "2147484", "9999999", "99999999999", "9".repeat(400)])(
      "Retry-After: %s is too long: the response is the caller's at once, and nothing is spent",
      async (value) => {
        const server = await serve(status(503, { "retry-after": value }), ok);
        const { policy, client } = fixture();
        const answer = await client.send(server.url);
        expect(answer).toMatchObject({ status: 503, body: "answer 503" });
        expect(refusalOf(answer.result)).toMatchObject({ refusal: "retry-after" });
        expect(refusalOf(answer.result)?.retryAfter).toBeGreaterThanOrEqual(31_000);
        expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
      },
    );

    test("grpc-retry-pushback-ms: 0 is a retry at once", async () => {
      const server = await serve(status(503, { "grpc-retry-pushback-ms": "0" }), ok);
      const { policy, client } = fixture({ backoff: () => 10_000 });
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect(gap(server)).toBeLessThan(5000);
      expect(balanceOf(policy)).toBe(9);
    });

    test.each([
      ["x-should-retry", "false"],
      ["stripe-should-retry", "false"],
      ["x-envoy-ratelimited", "true"],
      ["grpc-retry-pushback-ms", "-1"],
      ["ratelimit", '"default";r=0'],
    ])("%s: %s is obeyed, and nothing is spent", async (name, value) => {
      const server = await serve(status(503, { [name]: value }), ok);
      const { policy, client } = fixture();
      const answer = await client.send(server.url);
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "server" });
      expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
    });
  });

  describe(`${driver.name} sends nothing twice that must not be:`, () => {
    test("a POST that fails after it was sent is sent once", async () => {
      for (const reply of [unavailable, reset()]) {
        const server = await serve(reply, ok);
        const { policy, client } = fixture();
        const answer = await client.send(server.url, { method: "POST", body: "pay" });
        expect(refusalOf(answer.result)).toMatchObject({ refusal: "method" });
        expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
      }
    });

    test("a POST whose connection is refused was never sent, and may be tried again", async () => {
      const { client } = fixture();
      const answer = await client.send(await refusingUrl(), { method: "POST", body: "pay" });
      expect(answer.failed).toBe(true);
      expect(refusalOf(answer.result)).toMatchObject(
        driver.reissuesPost
          ? { refusal: "attempts", attempts: 3 }
          : { refusal: "permanent", attempts: 1 },
      );
    });

    test("a POST that the caller calls idempotent is sent again in full", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const retryBudget = { idempotent: true };
      const answer = await client.send(server.url, { method: "POST", body: "pay", retryBudget });
      expect(answer.status).toBe(driver.reissuesPost ? 200 : 503);
      expect(server.hits.map(({ body }) => String(body))).toEqual(
        driver.reissuesPost ? ["pay", "pay"] : ["pay"],
      );
    });

    test("an Idempotency-Key of the caller's counts as such a word, and an option turns that off", async () => {
      for (const [idempotencyKey, hits] of [
        [true, driver.reissuesPost ? 2 : 1],
        [false, 1],
      ] as const) {
        const server = await serve(unavailable, ok);
        const { client } = fixture({ idempotencyKey });
        const headers = { "Idempotency-Key": '"8e03978e"' };
        await client.send(server.url, { method: "POST", body: "pay", headers });
        expect(server.hits).toHaveLength(hits);
        expect(new Set(server.hits.map((hit) => hit.headers["idempotency-key"])).size).toBe(1);
      }
    });

    test("a GET that the caller calls not idempotent is sent once", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const answer = await client.send(server.url, { retryBudget: { idempotent: false } });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "method" });
      expect(server.hits).toHaveLength(1);
    });

    test("a PUT with a text is sent again, byte for byte", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const body = "größer ".repeat(1000);
      expect(await client.send(server.url, { method: "PUT", body })).toMatchObject({ status: 200 });
      expect(server.hits.map((hit) => String(hit.body))).toEqual([body, body]);
    });

    test("a PUT with a stream is sent once, and its failure is the caller's", async () => {
      const server = await serve(unavailable, ok);
      const { policy, client } = fixture();
      const answer = await client.send(server.url, {
        method: "PUT",
        body: Readable.from(["chunk"]),
      });
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "body" });
      expect(server.hits.map((hit) => String(hit.body))).toEqual(["chunk"]);
      expect(balanceOf(policy)).toBe(10);
    });
  });
}

function isAbort({ failed, result }: Answer): boolean {
  const { name, code } = Object(result) as { name?: string; code?: string };
  return failed && (name === "AbortError" || name === "CanceledError" || code === "ERR_CANCELED");
}
