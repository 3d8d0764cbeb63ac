import { type AxiosRetryOptions, fromAxiosRetry } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import { errorOf, hang, serve, status } from "@retry-budget/testkit";
import type { AxiosError, InternalAxiosRequestConfig } from "axios";
import { DEFAULT_OPTIONS } from "axios-retry";
import { describe, expect, test } from "vitest";
import { describeSideBySide, hitsOf, sideBySide } from "./side-by-side.js";

const unavailable = status(503);

describeSideBySide("retries", () => {
  test.each([
    [{}, 4],
    [{ retries: undefined }, 4],
    [{ retries: 0 }, 1],
    [{ retries: 2 }, 3],
    [{ retries: 1.5 }, 3],
    [{ retries: "2" as never }, 3],
    [{ retries: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY],
    [{ retries: Number.MAX_SAFE_INTEGER }, Number.POSITIVE_INFINITY],
  ])("of %o means %d attempts", (options, attempts) => {
    expect(fromAxiosRetry(options).maxAttempts).toBe(attempts);
    expect(() => createRetryPolicy(fromAxiosRetry(options) as object)).not.toThrow();
  });

  test.each([[{}], [{ retries: 0 }], [{ retries: 2 }], [{ retries: 1.5 }], [{ retries: "2" }]])(
    "of %o gives a server that is down as many requests as under axios-retry",
    async (options) => {
      const { theirs, ours } = await hitsOf(options as AxiosRetryOptions, [unavailable]);
      expect(ours).toBe(theirs);
    },
  );

  test("of undefined keeps the default, which axios-retry loses", async () => {
    const hits = await hitsOf({ retries: undefined }, [unavailable]);
    expect(hits).toEqual({ theirs: 1, ours: 4 });
  });
});

describeSideBySide("onRetry", () => {
  test("gets the count, the error and the config, as from axios-retry", async () => {
    const calls: unknown[][] = [];
    const onRetry = (count: number, error: AxiosError, config: InternalAxiosRequestConfig) => {
      calls.push([count, error.response?.status, error.config === config, config.method]);
    };
    const { theirs, ours } = await sideBySide({ retries: 2, onRetry }, async (instance) => {
      const server = await serve(status(500), unavailable, status(200));
      calls.length = 0;
      await instance.get(server.url);
      return [...calls];
    });
    expect(theirs).toEqual([
      [1, 500, true, "get"],
      [2, 503, true, "get"],
    ]);
    expect(ours).toEqual(theirs);
  });

  test("may change the headers of the retry, and is awaited, as in axios-retry", async () => {
    const onRetry: AxiosRetryOptions["onRetry"] = async (count, _, { headers }) => {
      await new Promise(setImmediate);
      headers.set("x-retry", String(count));
    };
    const { theirs, ours } = await sideBySide({ retries: 2, onRetry }, async (instance) => {
      const server = await serve(unavailable);
      await errorOf(instance.get(server.url));
      return server.hits.map(({ headers }) => headers["x-retry"]);
    });
    expect(theirs).toEqual([undefined, "1", "2"]);
    expect(ours).toEqual(theirs);
  });

  test("runs after the wait, and axios-retry's before it", async () => {
    const order: string[] = [];
    const options: AxiosRetryOptions = { retries: 1, onRetry: () => void order.push("hook") };
    const clock = {
      now: () => 0,
      wall: Date.now,
      schedule: (callback: () => void) => {
        order.push("wait");
        setImmediate(callback);
        return () => undefined;
      },
    };
    const server = await serve(unavailable);
    await sideBySide(options, (instance) => errorOf(instance.get(server.url)), { clock });
    expect(order).toEqual(["hook", "wait", "hook"]);
  });

  test("that throws gives the retry up with the original error, which axios-retry replaces", async () => {
    const server = await serve(unavailable);
    const onRetry = (): never => {
      throw new Error("mine");
    };
    const { theirs, ours } = await sideBySide({ retries: 1, onRetry }, (instance) =>
      errorOf<AxiosError>(instance.get(server.url)),
    );
    expect([theirs.message, ours.response?.status]).toEqual(["mine", 503]);
    expect(server.hits).toHaveLength(2);
  });
});

describeSideBySide("shouldResetTimeout: true", () => {
  test("gives every attempt the whole timeout, as in axios-retry", async () => {
    const options = { retries: 2, shouldResetTimeout: true, retryCondition: () => true } as const;
    const { theirs, ours } = await hitsOf(options, [hang()], (instance, url) =>
      instance.get(url, { timeout: 100 }),
    );
    expect([theirs, ours]).toEqual([3, 3]);
  });

  test("left out means the same", async () => {
    const options = { retries: 2, retryCondition: () => true };
    const { ours } = await hitsOf(options, [hang()], (instance, url) =>
      instance.get(url, { timeout: 100 }),
    );
    expect(ours).toBe(3);
  });

  test("left out, beside a deadline, is what false is in axios-retry: one time for all attempts", async () => {
    const server = await serve(unavailable, hang(), unavailable, hang());
    const { theirs, ours } = await sideBySide(
      { retries: 9 },
      (instance) => errorOf<AxiosError>(instance.get(server.url, { timeout: 300 })),
      { deadline: 300 },
    );
    expect([theirs.code, ours.code]).toEqual(["ECONNABORTED", "ECONNABORTED"]);
    expect(server.hits).toHaveLength(4);
  });
});

describe("what cannot be translated is a TypeError:", () => {
  test.each<[object, string]>([
    [{ retries: -1 }, "Expected `retries` to be a number from 0, got -1."],
    [{ retries: Number.NaN }, "Expected `retries` to be a number from 0, got NaN."],
    [{ retries: null }, "Expected `retries` to be a number from 0, got null."],
    [{ retries: " " }, 'Expected `retries` to be a number from 0, got " ".'],
    [{ retries: true }, "Expected `retries` to be a number from 0, got true."],
    [{ retryDelay: 100 }, "Expected `retryDelay` to be a function, got 100."],
    [{ retryCondition: true }, "Expected `retryCondition` to be a function, got true."],
    [
      { retryCondition: async () => true },
      "Expected `retryCondition` to be a function that answers at once, got the function retryCondition.",
    ],
    [{ onRetry: "log" }, 'Expected `onRetry` to be a function, got "log".'],
    [{ shouldResetTimeout: false }, "set `deadline` beside fromAxiosRetry(), got false."],
    [{ onMaxRetryTimesExceeded: () => undefined }, "read refusalOf(error) where you catch"],
    [{ validateResponse: () => true }, "judge a status by axios' `validateStatus`"],
    [{ retrys: 2 }, "Unknown option `retrys` (2) in options."],
    [{ retryCount: 1 }, "Unknown option `retryCount` (1) in options."],
  ])("%o", (options, message) => {
    expect(() => fromAxiosRetry(options)).toThrow(TypeError);
    expect(() => fromAxiosRetry(options)).toThrow(message);
  });

  test.each([[null], ["options"], [[]], [Promise.resolve({})]])("%o for options", (options) => {
    expect(() => fromAxiosRetry(options as never)).toThrow(TypeError);
  });
});

test("options that are explicitly undefined, and validateResponse: null, mean the defaults", () => {
  const names = Object.keys(DEFAULT_OPTIONS);
  const options = Object.fromEntries(names.map((name) => [name, undefined]));
  const plain = (from: object): string => JSON.stringify(from);
  expect(names).toHaveLength(7);
  expect(plain(fromAxiosRetry(options))).toBe(plain(fromAxiosRetry()));
  expect(plain(fromAxiosRetry({ validateResponse: null }))).toBe(plain(fromAxiosRetry()));
});
