import { type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { hang, reset, status } from "./flaky-server.js";
import { serve } from "./serve.js";
import { ToldBreaker } from "./told-breaker.js";
import { until } from "./until.js";

/** A circuit breaker is asked before every attempt and told how each has ended, once. */
export function breakerContract(driver: Driver): void {
  const fixture = fixtureOf(driver);
  const withBreaker = (breaker: ToldBreaker): RetryPolicyOptions => ({
    breakers: { of: () => breaker },
  });

  describe(`${driver.name} asks the breaker:`, () => {
    test("one that is open sends and counts nothing, and its error is the caller's", async () => {
      const server = await serve(ok);
      const breaker = new ToldBreaker();
      breaker.isOpen = true;
      const { policy, client } = fixture(withBreaker(breaker));
      const { failed, result } = await client.send(server.url);
      // Some clients wrap whatever ends a request.
      expect([failed, String(result)]).toEqual([true, expect.stringContaining("circuit is open")]);
      expect(refusalOf(result)).toMatchObject({ refusal: "breaker", attempts: 0 });
      expect([server.hits.length, breaker.told]).toEqual([0, []]);
      expect(policy.snapshot()).toMatchObject([{ originals: 0, retries: 0, balance: 10 }]);
    });

    test("one that opens by the failure refuses the retry, and nothing is spent", async () => {
      const breaker = new ToldBreaker();
      const server = await serve((response) => {
        breaker.isOpen = true;
        response.writeHead(503).end("answer 503");
      });
      const { policy, client } = fixture(withBreaker(breaker));
      const answer = await client.send(server.url);
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "breaker", attempts: 1 });
      expect([server.hits.length, balanceOf(policy), breaker.told]).toEqual([1, 10, ["failure"]]);
    });

    test("one that lets no retry pass after the wait: it is not sent, and its token is back", async () => {
      const server = await serve(unavailable);
      const breaker = new ToldBreaker(1);
      const { policy, client } = fixture(withBreaker(breaker));
      const { result, status: code } = await client.send(server.url);
      expect(code ?? Object(result).statusCode).toBe(503);
      expect(refusalOf(result)).toMatchObject({ refusal: "breaker", attempts: 1 });
      expect([server.hits.length, balanceOf(policy), breaker.told]).toEqual([1, 10, ["failure"]]);
    });

    test.each([
      { replies: [unavailable, reset(), ok], told: ["failure", "failure", "success"] },
      { replies: [unavailable], told: ["failure", "failure", "failure"] },
      { replies: [status(404)], told: ["success"] },
    ])("each attempt's end is told once: $told", async ({ replies, told }) => {
      const server = await serve(...replies);
      const breaker = new ToldBreaker();
      const { client } = fixture(withBreaker(breaker));
      await client.send(server.url);
      expect(breaker.told).toEqual(told);
    });

    test("of an abort in flight it learns nothing", async () => {
      const server = await serve(hang());
      const breaker = new ToldBreaker();
      const { client } = fixture(withBreaker(breaker));
      const controller = new AbortController();
      const answer = client.send(server.url, { signal: controller.signal });
      await server.received(1);
      controller.abort();
      expect(await answer).toMatchObject({ failed: true });
      // Some clients tell their caller first.
      await until(() => breaker.told.length > 0);
      expect(breaker.told).toEqual(["nothing"]);
    });

    test("of an abort in the backoff it learns nothing but the failure before", async () => {
      const server = await serve(unavailable);
      const breaker = new ToldBreaker();
      const { policy, client } = fixture(withBreaker(breaker), 10_000);
      const controller = new AbortController();
      const answer = client.send(server.url, { signal: controller.signal });
      await until(() => balanceOf(policy) === 9);
      controller.abort();
      expect(await answer).toMatchObject({ failed: true });
      expect([server.hits.length, breaker.told]).toEqual([1, ["failure"]]);
    });
  });
}
