import { type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { type FlakyServer, status } from "./flaky-server.js";
import { serve } from "./serve.js";

/** What a server says about another attempt. */
export function serverContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

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
      const { policy, client } = fixture({}, 10_000);
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
}
