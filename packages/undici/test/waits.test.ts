import type { Clock, RetryPolicyOptions } from "@retry-budget/core";
import { LongTimers, type Reply, serve, status, until } from "@retry-budget/testkit";
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { senders } from "./senders.js";

const unavailable = status(503);
const ok = status(200);
// The instant of RFC 9110's own examples.
const instant = Date.UTC(1994, 10, 6, 8, 49, 37);

/** A clock that writes waits down instead of waiting. */
function skippingClock(wall: number): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => performance.now(),
    wall: () => wall,
    schedule: (callback, delay) => {
      waits.push(delay);
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
  };
  return { clock, waits };
}

/** Sends a GET at two seconds before the instant. */
async function waitsOf(replies: Reply[], options: RetryPolicyOptions): Promise<object> {
  const server = await serve(...replies);
  const { clock, waits } = skippingClock(instant - 2000);
  const { dispatcher, policy } = budgetedAgent({ clock, random: () => 0, ...options });
  const { statusCode, body } = await request(server.url, { dispatcher });
  const [origin] = policy.snapshot();
  return { waits, status: statusCode, body: await body.text(), spent: 10 - (origin?.balance ?? 0) };
}

test("without jitter the first wait is the base, and the second twice as long (undici #2966)", async () => {
  const backoff = { base: 100, jitter: "none" } as const;
  const outcome = await waitsOf([unavailable, unavailable, ok], { backoff });
  expect(outcome).toEqual({ waits: [100, 200], status: 200, body: "answer 200", spent: 2 });
});

test.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", 2000],
  ["Sun, 36 Nov 1994 08:49:37 GMT", 7],
  ["in two seconds", 7],
])("after a Retry-After of %s the wait is %d ms (undici PR #4084)", async (date, wait) => {
  const replies = [status(503, { "retry-after": date }), ok];
  const outcome = await waitsOf(replies, { backoff: () => 7 });
  expect(outcome).toEqual({ waits: [wait], status: 200, body: "answer 200", spent: 1 });
});

test("a Retry-After of 0 means the backoff, no more and no less (undici PR #5519)", async () => {
  const replies = [status(503, { "retry-after": "0" }), ok];
  const outcome = await waitsOf(replies, { backoff: () => 7 });
  expect(outcome).toEqual({ waits: [7], status: 200, body: "answer 200", spent: 1 });
});

test("a Retry-After beyond the longest wait is not cut short: its response is handed over at once", async () => {
  const replies = [status(503, { "retry-after": "3600" }), ok];
  const outcome = await waitsOf(replies, { backoff: () => 7 });
  expect(outcome).toEqual({ waits: [], status: 503, body: "answer 503", spent: 0 });
});

describe.each(senders)("$name", ({ send }) => {
  test("ends at once when it is aborted in the wait: one error, the token back, no timer left (undici PR #5675)", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 10_000 });
    const timers = new LongTimers();
    onTestFinished(() => timers.restore());
    const controller = new AbortController();
    const errors: Error[] = [];
    const sent = send(server.url, { dispatcher, signal: controller.signal });
    const ended = sent.catch((error: Error) => errors.push(error));
    await until(() => policy.snapshot()[0]?.balance === 9 && timers.open > 0);
    const begin = performance.now();
    controller.abort();
    await ended;
    expect(performance.now() - begin).toBeLessThan(2000);
    expect(errors.map(({ name }) => name)).toEqual(["AbortError"]);
    expect([policy.snapshot()[0]?.balance, timers.open, server.hits.length]).toEqual([10, 0, 1]);
  });
});

test("an abort in the wait for a reason that is falsy, and for none, is an AbortError", async () => {
  for (const reason of [0, "", null, undefined]) {
    const server = await serve(unavailable);
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 10_000 });
    const controller = new AbortController();
    const result = request(server.url, { dispatcher, signal: controller.signal });
    result.catch(() => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    controller.abort(reason);
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
  }
});
