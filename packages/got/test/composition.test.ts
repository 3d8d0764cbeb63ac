import { setImmediate } from "node:timers/promises";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import { serve, status, until } from "@retry-budget/testkit";
import got, { type ExtendOptions, type Got, type OptionsInit } from "got";
import { describe, expect, test, vi } from "vitest";
import { errorOf, failOnStrayErrors, fast, fixture, net, ok, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

describe("composition with the user's calculateDelay", () => {
  const counting = () => {
    const calls: number[] = [];
    const options: ExtendOptions = {
      retry: {
        calculateDelay: ({ attemptCount, computedValue }) => {
          calls.push(attemptCount);
          return computedValue && 2;
        },
      },
    };
    return { calls, options };
  };

  test.each<[string, (plugin: ExtendOptions, own: ExtendOptions) => [Got, OptionsInit]]>([
    ["got-08: set after the plugin", (plugin, own) => [got.extend(plugin).extend(own), {}]],
    ["got-09: set before the plugin", (plugin, own) => [got.extend(own).extend(plugin), {}]],
    ["set by the request", (plugin, own) => [got.extend(plugin), own as OptionsInit]],
  ])("%s: both have their say", async (_, compose) => {
    const server = await serve(unavailable);
    const { plugin } = fixture({ capacity: 1, ratio: 0 });
    const { calls, options } = counting();
    const [client, own] = compose(plugin, options);
    await errorOf(client(server.url, own) as Promise<unknown>);
    expect([server.hits.length, calls]).toEqual([2, [1, 2]]);
  });

  test("a narrower retry still narrows: limit, methods, statusCodes", async () => {
    for (const [retry, refusal] of [
      [{ limit: 1 }, "attempts"],
      [{ methods: ["PUT"] }, "method"],
      [{ statusCodes: [500] }, "permanent"],
    ] as const) {
      const server = await serve(unavailable);
      const { client } = fixture();
      const error = await errorOf(client(server.url, { retry: retry as object }));
      expect(refusalOf(error)).toMatchObject({ refusal });
      expect(server.hits).toHaveLength(refusal === "attempts" ? 2 : 1);
    }
  });
});

test("of got's own statuses 521, 522 and 524 are retried where the policy's statuses hold them", async () => {
  const statusCodes = got.defaults.options.retry.statusCodes as number[];
  const retriedBy = async (client: Got): Promise<number[]> => {
    const retried: number[] = [];
    for (const code of statusCodes) {
      const server = await serve(status(code));
      await errorOf(client(server.url));
      if (server.hits.length > 1) retried.push(code);
    }
    return retried;
  };
  // 413 without a Retry-After is not retried by got either.
  const listed = statusCodes.filter((code) => code !== 413);
  expect(listed).toEqual(expect.arrayContaining([503, 521, 522, 524]));
  expect(await retriedBy(fixture().client)).toEqual(listed.filter((code) => code < 521));
  expect(await retriedBy(fixture({ statuses: statusCodes }).client)).toEqual(listed);
});

test("got-10: the plugin applied twice accounts once (#1163, #606)", async () => {
  const { plugin, policy } = fixture();
  const once = got.extend(plugin, fast);
  for (const client of [
    once.extend(once),
    got.extend(once, once),
    got.extend(plugin, plugin, fast),
  ]) {
    const server = await serve(unavailable);
    await errorOf(client(server.url));
    expect(server.hits).toHaveLength(3);
    expect(net(policy)).toContainEqual({ originals: 1, retries: 2, balance: 8 });
  }
});

test("got-10: two copies of this package account once (#1163)", async () => {
  vi.resetModules();
  const other = await import("@retry-budget/got");
  expect(other.retryBudget).not.toBe(retryBudget);
  const [first, second] = [createRetryPolicy(), createRetryPolicy()];
  const server = await serve(unavailable);
  await errorOf(got.extend(retryBudget(first), other.retryBudget(second), fast)(server.url));
  expect([server.hits.length, net(first), net(second)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
    [],
  ]);
});

test("got-11: nothing leaks from one request to the next", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const sizes = (): number[] =>
    Object.values(client.defaults.options.hooks).map((list) => list.length);
  const before = sizes();
  for (let request = 0; request < 3; request++) await errorOf(client(server.url));
  await Promise.all([errorOf(client(server.url)), errorOf(client(server.url))]);
  expect(sizes()).toEqual(before);
  expect(policy.snapshot()).toMatchObject([{ originals: 5, retries: 10 }]);
});

test("got-36: a request that opts out has got's own retries, and the budget stays untouched", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture({ initial: 0 });
  await errorOf(client(server.url, { context: { retryBudget: false } }));
  expect([server.hits.length, policy.snapshot()]).toEqual([3, []]);
});

test("an instance opts out by its context, and one request may opt in again", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture({ initial: 0 });
  const out = client.extend({ context: { retryBudget: false } });
  await errorOf(out(server.url));
  await errorOf(out(server.url, { context: { retryBudget: {} } }));
  expect([server.hits.length, policy.snapshot().length]).toEqual([3 + 1, 1]);
});

const always = (): number => 1;
test.each<[string, (client: Got) => [Got, OptionsInit]]>([
  [
    "a beforeRequest hook",
    (client) => [
      client,
      {
        hooks: {
          beforeRequest: [
            (options) => {
              options.retry.calculateDelay = always;
            },
          ],
        },
      },
    ],
  ],
  [
    "a handler after ours",
    (client) => [
      client.extend({
        handlers: [
          (options, next) => {
            options.retry.calculateDelay = always;
            return next(options);
          },
        ],
      }),
      {},
    ],
  ],
  [
    "a handler that replaces all of retry and its hooks",
    (client) => [
      client.extend({
        handlers: [
          (options, next) => {
            options.retry = { ...options.retry, calculateDelay: always };
            options.hooks.beforeRetry = [];
            return next(options);
          },
        ],
      }),
      {},
    ],
  ],
])(
  "%s that puts another calculateDelay in the place of ours: no retry without a token",
  async (_, spoil) => {
    const server = await serve(unavailable);
    const { client: plain, policy } = fixture({ capacity: 1, ratio: 0 });
    const [client, own] = spoil(plain);
    for (let call = 0; call < 5; call++) {
      await errorOf(client(server.url, { ...own, retry: { limit: 8 } }) as Promise<unknown>);
    }
    expect(server.hits).toHaveLength(6);
    expect(policy.snapshot()).toMatchObject([{ originals: 5, retries: 1, balance: 0 }]);
  },
);

test("a calculateDelay that uses this, and one that gives less than nothing, keep their meaning", async () => {
  const { plugin } = fixture();
  const client = got.extend(plugin);
  function byLimit(this: { limit: number }): number {
    return this.limit;
  }
  for (const calculateDelay of [byLimit, () => -5]) {
    const server = await serve(unavailable, ok);
    const retry = { calculateDelay: calculateDelay as () => number };
    expect(await client(server.url, { retry })).toMatchObject({ statusCode: 200 });
  }
});

test.skipIf(gotMajor === 11)(
  "a handler of the user's that hands on another promise hides the cache's requests, and no retry goes without a token",
  async () => {
    const server = await serve(unavailable);
    const { plugin, policy } = fixture({ capacity: 1, ratio: 0 });
    const client = got.extend(plugin, fast, {
      handlers: [async (options, next) => (await next(options)) as never],
    });
    const cache = new Map();
    for (let call = 0; call < 3; call++) await errorOf(client(server.url, { cache }));
    expect([server.hits.length, net(policy)]).toEqual([
      4,
      [{ originals: 3, retries: 1, balance: 0 }],
    ]);
  },
);

test.each([
  ["got", got],
  ["got with a budget", fixture().client],
])(
  "a rejection of %s that nobody handles is one unhandled rejection (#2196)",
  async (_, client) => {
    const server = await serve(unavailable);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    const unhandled: unknown[] = [];
    process.on("unhandledRejection", (error) => unhandled.push(error));
    try {
      void client(server.url, { retry: { limit: 0 } });
      await until(() => unhandled.length > 0);
      await setImmediate();
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of others) process.on("unhandledRejection", listener);
    }
    expect(unhandled).toHaveLength(1);
  },
);
