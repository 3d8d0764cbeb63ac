import { refusalOf } from "@retry-budget/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Answer, Driver } from "./driver.js";
import { hang } from "./flaky-server.js";
import { LongTimers } from "./long-timers.js";
import { serve } from "./serve.js";
import { until } from "./until.js";

/** Aborts and deadlines. */
export function endingContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  describe(`${driver.name} ends calls:`, () => {
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
      onTestFinished(() => timers.restore());
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

    const { takesSignal = true } = driver;
    test.skipIf(!takesSignal)("an abort before the request sends and earns nothing", async () => {
      const server = await serve(ok);
      const { policy, client } = fixture({ initial: 0, ratio: 1 });
      const answer = await client.send(server.url, { signal: AbortSignal.abort() });
      expect(isAbort(answer)).toBe(true);
      expect(server.hits).toHaveLength(0);
      for (const { originals, balance } of policy.snapshot()) {
        expect([originals, balance]).toEqual([0, 0]);
      }
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
  });
}

// Those of fetch and of got, of axios, and of got 11, which knows no signals.
const abortNames: ReadonlySet<unknown> = new Set(["AbortError", "CanceledError", "CancelError"]);

function isAbort({ failed, result }: Answer): boolean {
  const { name, code } = Object(result) as { name?: string; code?: string };
  return failed && (abortNames.has(name) || code === "ERR_CANCELED");
}
