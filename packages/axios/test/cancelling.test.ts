import { getEventListeners } from "node:events";
import type { createRetryPolicy } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { hang, serve, until } from "@retry-budget/testkit";
import axios from "axios";
import { describe, expect, test, vi } from "vitest";
import { adapters, bare, errorOf, fixture, httpAdapter, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

describe("cancelling", () => {
  const inBackoff = async (policy: ReturnType<typeof createRetryPolicy>): Promise<void> => {
    await until(() => policy.snapshot()[0]?.balance === 9);
  };

  test("with a CancelToken in the backoff rejects at once with the token's own reason", async () => {
    const server = await serve(unavailable);
    const { instance, policy } = fixture({ backoff: () => 10_000 });
    const source = axios.CancelToken.source();
    const error = errorOf(instance.get(server.url, { cancelToken: source.token }));
    await inBackoff(policy);
    source.cancel("enough");
    expect(await error).toBe(source.token.reason);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { aborted: 1 } }]);
    expect(server.hits).toHaveLength(1);
  });

  test.each(adapters)(
    "with a signal in the backoff gives what bare axios gives (%o, axios pull 11181)",
    async (defaults) => {
      const server = await serve(unavailable, hang());
      const { instance, policy } = fixture({ backoff: () => 10_000 }, defaults);
      const ours = new AbortController();
      const error = errorOf(instance.get(server.url, { signal: ours.signal }));
      await inBackoff(policy);
      ours.abort(new Error("mine"));
      const theirs = new AbortController();
      const bareError = errorOf(bare(defaults).get(server.url, { signal: theirs.signal }));
      await server.received(2);
      theirs.abort(new Error("mine"));
      const { name, code } = await bareError;
      // The error of axios 1.0 has no config.
      const config = axiosMinor < 7 ? undefined : { url: server.url };
      expect(await error).toMatchObject({ name, code, ...(config && { config }) });
      expect(axios.isCancel(await error)).toBe(true);
    },
  );

  test("by AbortSignal.timeout is the caller's own deadline, never retried", async () => {
    const server = await serve(hang());
    const { instance } = fixture();
    const error = await errorOf(instance.get(server.url, { signal: AbortSignal.timeout(100) }));
    expect([error.code, server.hits.length]).toEqual(["ERR_CANCELED", 1]);
  });

  test("leaves no listener on a signal that many requests share", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    await instance.get(server.url, { signal });
    expect(added.mock.calls.length).toBeGreaterThan(0);
    // axios 1.7 takes them off a turn after its answer.
    await until(() => getEventListeners(signal, "abort").length === 0);
  });

  test("works with a signal that has no listeners, as React Native's", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const signal = { aborted: false, addEventListener: undefined, removeEventListener: undefined };
    const adapter = (config: object) => httpAdapter({ ...config, signal: undefined } as never);
    expect(await instance.get(server.url, { signal: signal as never, adapter })).toMatchObject({
      status: 200,
    });
  });
});

test("a reason of the caller's for a cancel is not changed", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ backoff: () => 10_000 });
  const source = axios.CancelToken.source();
  const error = errorOf(instance.get(server.url, { cancelToken: source.token }));
  await until(() => policy.snapshot()[0]?.balance === 9);
  const mine = { headers: {}, mine: true };
  (source.cancel as (message: string, config: object) => void)("enough", mine);
  expect((await error).config).toBe(mine);
});

test("a signal that cannot be listened to, and fires in the wait, is seen before the retry", async () => {
  const server = await serve(unavailable);
  const clock = createManualClock();
  const { instance, policy } = fixture({ clock, backoff: () => 50 });
  // A class, since axios copies plain objects.
  class DeafSignal {
    aborted = false;
    addEventListener(): void {}
    removeEventListener(): void {}
  }
  const signal = new DeafSignal();
  const error = errorOf(instance.get(server.url, { signal: signal as never }));
  await until(() => clock.pending > 0);
  signal.aborted = true;
  clock.advance(50);
  expect(axios.isCancel(await error)).toBe(true);
  expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
});

test("an abort before the dispatch sends nothing, and one in flight is the end: no token is spent (axios-retry #227, retry-axios #99)", async () => {
  const server = await serve(hang());
  const { instance, policy } = fixture();
  await errorOf(instance.get(server.url, { signal: AbortSignal.abort() }));
  expect([server.hits.length, policy.snapshot()]).toEqual([0, []]);
  const aborting = new AbortController();
  const error = errorOf(instance.get(server.url, { signal: aborting.signal }));
  await server.received(1);
  aborting.abort();
  expect((await error).code).toBe("ERR_CANCELED");
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 0, balance: 10 }]);
});

// The error of axios 1.13 does not name its request.
test.skipIf(axiosMinor < 7 || axiosMinor === 13)(
  "what fetch had sent when it was aborted counts as an original",
  async () => {
    const server = await serve(hang());
    const { instance, policy } = fixture({}, { adapter: "fetch" });
    const aborting = new AbortController();
    const error = errorOf(instance.get(server.url, { signal: aborting.signal }));
    await server.received(1);
    aborting.abort();
    await error;
    expect(policy.snapshot()).toMatchObject([{ originals: 1, refusals: { aborted: 1 } }]);
  },
);
