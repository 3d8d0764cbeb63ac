import { type RefusalDetails, refusalOf } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { balanceOf, connect, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { hang, reset, status, truncate } from "./flaky-server.js";
import { refusingUrl } from "./refusing-url.js";
import { serve } from "./serve.js";

/** What is sent, what it costs, and what the caller gets. */
export function budgetContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  describe(`${driver.name} keeps the budget:`, () => {
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

    const { retriesRefused = true } = driver;
    test.skipIf(!retriesRefused)(
      "a refused connection is retried up to the cap, and the client's own error is the caller's",
      async () => {
        const { policy, client } = fixture();
        const answer = await client.send(await refusingUrl());
        expect(answer.failed).toBe(true);
        expect(refusalOf(answer.result)).toMatchObject({ refusal: "attempts", attempts: 3 });
        expect(policy.snapshot()).toMatchObject([{ balance: 8, originals: 1, retries: 2 }]);
      },
    );

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

    test("two clients with one policy share its budgets", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({ initial: 1, ratio: 0 });
      await client.send(server.url);
      await connect(driver, policy).send(server.url);
      expect(server.hits).toHaveLength(3);
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
  });
}
