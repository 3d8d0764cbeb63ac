import { refusalOf, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Answer, Driver } from "./driver.js";
import { hang } from "./flaky-server.js";
import { outerOf } from "./outer-of.js";
import { serve } from "./serve.js";
import { until } from "./until.js";

/** The time that a call has, in flight and between attempts; what it is inside of may leave it less. */
export function deadlineContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  // Timers of the client's own pass in truth.
  const short = driver.hasOwnTimers === true ? 100 : 1000;
  const long = driver.hasOwnTimers === true ? 1000 : 100_000;

  const expectTimeout = ({ failed, result }: Answer, attempts: number): void => {
    expect(failed && driver.isTimeout(result)).toBe(true);
    expect(refusalOf(result)).toMatchObject({ refusal: "deadline", attempts });
  };

  describe(`${driver.name} ends in time:`, () => {
    test.each(["GET", "POST"])(
      "a deadline ends a %s in flight by the client's own error for a timeout",
      async (method) => {
        const server = await serve(hang());
        const clock = createManualClock();
        const { policy, client } = fixture({ clock, deadline: short });
        const answer = client.send(server.url, { method });
        await server.received(1);
        clock.advance(short);
        expectTimeout(await answer, 1);
        expect([server.hits.length, balanceOf(policy), clock.pending]).toEqual([1, 10, 0]);
      },
    );

    test("a deadline ends a retry in flight, which has cost its token", async () => {
      const server = await serve(unavailable, hang());
      const clock = createManualClock();
      const { policy, client } = fixture({ clock });
      const answer = client.send(server.url, { retryBudget: { deadline: long } });
      await until(() => {
        clock.advance(1);
        return server.hits.length === 2;
      });
      clock.advance(long);
      expectTimeout(await answer, 2);
      expect([server.hits.length, balanceOf(policy), clock.pending]).toEqual([2, 9, 0]);
    });

    test("a request that ends in time leaves no timer behind", async () => {
      const server = await serve(ok);
      const clock = createManualClock();
      const { client } = fixture({ clock, deadline: 1000 });
      expect(await client.send(server.url)).toMatchObject({ status: 200, body: "answer 200" });
      expect(clock.pending).toBe(0);
    });

    test("no attempt is begun with less than minAttemptTime left", async () => {
      const clock = createManualClock();
      const server = await serve((response) => {
        clock.advance(960);
        response.writeHead(503).end("answer 503");
      });
      const { policy, client } = fixture({ clock, deadline: 1000, minAttemptTime: 50 });
      const answer = await client.send(server.url);
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "deadline", attempts: 1 });
      expect([server.hits.length, balanceOf(policy), clock.pending]).toEqual([1, 10, 0]);
    });

    test("a deadline that comes while onRetry runs sends nothing more; the token is back", async () => {
      const server = await serve(unavailable);
      const clock = createManualClock();
      let isRunning = false;
      const onRetry = (): Promise<void> => {
        isRunning = true;
        return new Promise(() => undefined);
      };
      const { policy, client } = fixture({ clock, deadline: 100_000, onRetry });
      const answer = client.send(server.url);
      await until(() => {
        clock.advance(1);
        return isRunning;
      });
      clock.advance(100_000);
      const { result } = await answer;
      expect(refusalOf(result)).toMatchObject({ refusal: "deadline", attempts: 1 });
      expect([server.hits.length, balanceOf(policy), clock.pending]).toEqual([1, 10, 0]);
    });

    test("an outer deadline that has passed sends and counts nothing", async () => {
      const server = await serve(ok);
      const { policy, client } = fixture();
      const outer = outerOf({ isRetried: false, remaining: () => 0 });
      expectTimeout(await runInside(outer, () => client.send(server.url)), 0);
      expect(server.hits).toHaveLength(0);
      expect(policy.snapshot()).toMatchObject([{ originals: 0, retries: 0 }]);
    });

    test.each([
      { own: short, outer: 100_000 },
      { own: 100_000, outer: short },
    ])("of a deadline of $own ms inside one of $outer ms the earlier counts", async (times) => {
      const server = await serve(hang());
      const clock = createManualClock();
      const { client } = fixture({ clock, deadline: times.own });
      const outer = outerOf({ isRetried: false, remaining: () => times.outer - clock.now() });
      const answer = runInside(outer, () => client.send(server.url));
      await server.received(1);
      clock.advance(short);
      expectTimeout(await answer, 1);
    });
  });
}
