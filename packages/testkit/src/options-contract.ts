import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { status } from "./flaky-server.js";
import { serve } from "./serve.js";

/** A request's own options, and hooks that fail. */
export function optionsContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  describe(`${driver.name} obeys its user:`, () => {
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
}
