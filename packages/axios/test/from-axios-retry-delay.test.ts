import { type AxiosRetryOptions, fromAxiosRetry } from "@retry-budget/axios";
import { errorOf, type Reply, serve, status } from "@retry-budget/testkit";
import type { AxiosError } from "axios";
import { DEFAULT_OPTIONS, exponentialDelay, linearDelay, retryAfter } from "axios-retry";
import { expect, onTestFinished, test, vi } from "vitest";
import { describeSideBySide, sideBySide } from "./side-by-side.js";

const unavailable = status(503);

describeSideBySide("retryDelay", () => {
  /** Delays that axios-retry arms timers for, and those that the budget asks its clock for. */
  async function delaysOf(options: AxiosRetryOptions, reply: Reply = unavailable) {
    const server = await serve(reply);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const ours: number[] = [];
    const clock = {
      now: () => 0,
      wall: Date.now,
      schedule: (callback: () => void, delay: number) => {
        ours.push(delay);
        setImmediate(callback);
        return () => undefined;
      },
    };
    const theirs: unknown[] = [];
    await sideBySide(
      options,
      async (instance) => {
        await errorOf(instance.get(server.url));
        // axios-retry's callback is the one that knows of the signal.
        const own = timers.mock.calls.filter(([callback]) => String(callback).includes("signal"));
        if (theirs.length === 0) theirs.push(...own.map(([, delay]) => delay));
      },
      { clock, random: () => 0.5 },
    );
    return { theirs, ours };
  }

  test.each<[string, AxiosRetryOptions["retryDelay"]]>([
    ["exponentialDelay with a factor of 2", (count, error) => exponentialDelay(count, error, 2)],
    ["linearDelay(3)", linearDelay(3)],
    ["retryAfter", (_, error) => retryAfter(error)],
    ["DEFAULT_OPTIONS.retryDelay", DEFAULT_OPTIONS.retryDelay],
    ["left out", undefined],
    ["a function of the user's", (count) => count ** 2],
  ])("%s gives the waits that axios-retry waits", async (_, retryDelay) => {
    const { theirs, ours } = await delaysOf(retryDelay === undefined ? {} : { retryDelay });
    expect(theirs).toHaveLength(3);
    expect(ours).toEqual(theirs);
  });

  test("exponentialDelay and linearDelay as they are give the waits that they say", async () => {
    const error = {} as AxiosError;
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    onTestFinished(() => void vi.restoreAllMocks());
    for (const retryDelay of [exponentialDelay, linearDelay()]) {
      const { backoff } = fromAxiosRetry({ retryDelay });
      if (typeof backoff !== "function") throw new Error("no function");
      const waits = [1, 2, 3].map((count) => backoff(count, { error }));
      expect(waits).toEqual([1, 2, 3].map((count) => retryDelay(count, error)));
    }
  });

  test("Retry-After is obeyed with up to a tenth more, also where axios-retry's function ignores it", async () => {
    const reply = status(503, { "retry-after": "1" });
    const retries = 1;
    expect(await delaysOf({ retries, retryDelay: () => 1 }, reply)).toEqual({
      theirs: [1],
      ours: [1050],
    });
  });
});
