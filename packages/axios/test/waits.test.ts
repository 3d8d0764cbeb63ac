import { type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { serve, status, until } from "@retry-budget/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { type bare, errorOf, fixture, ok, unavailable } from "./attached.js";

const epoch = Date.UTC(2026, 10, 30, 12);

/** Delays of all retries until a call ends; the clock stands still but for the waits. */
async function delaysOf(
  options: RetryPolicyOptions,
  request: (instance: ReturnType<typeof bare>) => Promise<unknown>,
): Promise<number[]> {
  const clock = createManualClock(epoch);
  const { instance, policy } = fixture({ clock, random: () => 0, ...options });
  const delays: number[] = [];
  policy.subscribe((event) => {
    if (event.type === "retry") delays.push(event.delay);
  });
  let hasEnded = false;
  const result = request(instance).finally(() => {
    hasEnded = true;
  });
  result.catch(() => undefined);
  for (;;) {
    await until(() => hasEnded || clock.pending > 0);
    if (hasEnded) return delays;
    clock.advance(100_000);
  }
}

test.each([
  ["seconds", "2", 2000],
  ["a date to come", "Mon, 30 Nov 2026 12:00:07 GMT", 7000],
  ["a date in the past", "Mon, 30 Nov 2026 11:00:00 GMT", 5],
  ["what cannot be read", "soon", 5],
  ["nothing", undefined, 5],
])(
  "a Retry-After of %s is obeyed, and else there is the own backoff (axios-retry #63, #72, #137, #152, #270)",
  async (_, value, delay) => {
    for (const code of [429, 503]) {
      const server = await serve(
        status(code, value === undefined ? {} : { "retry-after": value }),
        ok,
      );
      const delays = await delaysOf({ backoff: () => 5 }, (instance) => instance.get(server.url));
      expect(delays).toEqual([delay]);
    }
  },
);

test("a Retry-After of an hour fails at once with the response, and costs no token", async () => {
  const server = await serve(status(503, { "retry-after": "3600" }));
  const { instance, policy } = fixture();
  const error = await errorOf(instance.get(server.url));
  expect(error.response?.status).toBe(503);
  expect(refusalOf(error)).toMatchObject({ refusal: "retry-after", retryAfter: 3_600_000 });
  expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
});

test("without jitter the waits double from the first, which is not zero (axios-retry #106, #305, retry-axios #122)", async () => {
  const server = await serve(unavailable);
  const backoff = { base: 100, max: 300, jitter: "none" } as const;
  const delays = await delaysOf({ backoff, maxAttempts: 5 }, (instance) =>
    instance.get(server.url),
  );
  expect(delays).toEqual([100, 200, 300, 300]);
});

test("with jitter they lie between nothing and that (retry-axios #163, #164, #172)", async () => {
  const server = await serve(unavailable);
  const numbers = [0, 0.5, 1];
  const random = (): number => numbers.shift() ?? Number.NaN;
  const delays = await delaysOf({ random, maxAttempts: 4, backoff: { base: 100 } }, (instance) =>
    instance.get(server.url),
  );
  expect(delays).toEqual([0, 100, 400]);
});

test("the backoff is asked before the wait, onRetry after it, and then the retry is sent (axios-retry #293, #301)", async () => {
  const clock = createManualClock();
  const server = await serve((response) => {
    log.push("hit");
    response.writeHead(503).end();
  });
  const log: string[] = [];
  const { instance } = fixture({
    clock,
    maxAttempts: 2,
    backoff: () => {
      log.push("backoff");
      return 1000;
    },
    onRetry: () => log.push(`onRetry at ${clock.now()}`),
  });
  const error = errorOf(instance.get(server.url));
  await until(() => clock.pending > 0);
  expect(log).toEqual(["hit", "backoff"]);
  clock.advance(1000);
  await error;
  expect(log).toEqual(["hit", "backoff", "onRetry at 1000", "hit"]);
});

test.each([
  ["with fake timers, and nothing injected", undefined],
  ["with a clock that is injected", createManualClock()],
])("a wait ends %s (axios-retry #139)", async (_, clock) => {
  const server = await serve(unavailable, ok);
  const { instance, policy } = fixture({ backoff: () => 10_000, ...(clock && { clock }) });
  if (clock === undefined) vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { setImmediate: turn } = await import("node:timers/promises");
  const result = instance.get(server.url);
  while (policy.snapshot()[0]?.balance !== 9) await turn();
  // The timer is set in the turn of the decision or in the next one.
  await turn();
  if (clock === undefined) vi.advanceTimersByTime(10_000);
  else clock.advance(10_000);
  expect(await result).toMatchObject({ status: 200 });
});
