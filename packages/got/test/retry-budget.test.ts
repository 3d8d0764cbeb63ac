import { getEventListeners } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { createRetryPolicy, type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import {
  errorOf as anyErrorOf,
  type FlakyServer,
  hang,
  type Reply,
  refusingUrl,
  reset,
  serve,
  status,
  until,
} from "@retry-budget/testkit";
import got, {
  type ExtendOptions,
  type Got,
  HTTPError,
  type OptionsInit,
  type RequestError,
} from "got";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const stray: unknown[] = [];
const noteStray = (error: unknown): void => {
  stray.push(error);
};

// got-39: no scenario may produce an exception or a rejection that bare got would not.
beforeEach(() => {
  process.on("uncaughtException", noteStray);
  process.on("unhandledRejection", noteStray);
});

afterEach(async () => {
  await setImmediate();
  process.off("uncaughtException", noteStray);
  process.off("unhandledRejection", noteStray);
  expect(stray.splice(0)).toEqual([]);
});

const fast: ExtendOptions = {
  retry: { calculateDelay: ({ computedValue }) => computedValue && 2 },
};

function fixture(options: RetryPolicyOptions = {}) {
  const policy = createRetryPolicy(options);
  const client = got.extend(retryBudget(policy), fast);
  return { policy, client, plugin: retryBudget(policy) };
}

const unavailable = status(503);
const ok = status(200);

const errorOf = anyErrorOf<RequestError>;

/** A hook that makes a request of its own, and lets its error through. */
const fetching = (token: FlakyServer) => async (): Promise<void> => {
  await got(token.url, { retry: { limit: 0 } });
};

const net = (policy: ReturnType<typeof createRetryPolicy>): unknown =>
  policy.snapshot().map(({ originals, retries, balance }) => ({ originals, retries, balance }));

test("got-01: three hits, one deposit, two tokens; the error is got's own", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const error = await errorOf(client(server.url));
  expect(error).toBeInstanceOf(HTTPError);
  expect(error.request?.retryCount).toBe(2);
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
  ]);
});

test("got-02: with an empty budget the HTTPError comes at once, with its body and the refusal", async () => {
  const server = await serve(unavailable);
  const events: unknown[] = [];
  const policy = createRetryPolicy({ initial: 0 });
  policy.subscribe((event) => events.push(event));
  const begin = performance.now();
  const retry = { calculateDelay: () => 60_000 };
  const error = await errorOf(got.extend(retryBudget(policy))(server.url, { retry }));
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(error).toBeInstanceOf(HTTPError);
  expect([error.response?.body, error.request?.retryCount]).toEqual(["answer 503", 0]);
  expect(refusalOf(error)).toMatchObject({ refusal: "budget" });
  expect(events).toContainEqual(expect.objectContaining({ type: "refused", refusal: "budget" }));
});

test("got-03: with throwHttpErrors: false it resolves with the 503 (#2103)", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ initial: 0 });
  const response = await client(server.url, { throwHttpErrors: false });
  expect([response.statusCode, response.body]).toEqual([503, "answer 503"]);
  expect(refusalOf(response)).toMatchObject({ refusal: "budget" });
});

test("got-04: a POST is sent once and costs nothing (#1672, #757, #1882)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client.post(server.url, { json: { a: 1 } }));
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { method: 1 } }]);
});

test("got-05: 400, 404, 413 without Retry-After and limit 0 are one hit each and cost nothing (#1277)", async () => {
  const { client, policy } = fixture();
  for (const code of [400, 404, 413]) {
    const server = await serve(status(code));
    await errorOf(client(server.url));
    expect(server.hits).toHaveLength(1);
  }
  const server = await serve(unavailable);
  const error = await errorOf(client(server.url, { retry: { limit: 0 } }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts" });
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot().map(({ balance }) => balance)).toEqual([10, 10, 10, 10]);
});

test("got-06: a calculateDelay that never ends meets the cap (#2102, #2415)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client(server.url, { retry: { limit: 50, calculateDelay: () => 2 } }));
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
  ]);
});

test("got-07: a calculateDelay that retries a POST does not make it idempotent (#2243)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(client.post(server.url, { body: "x", retry: { calculateDelay: () => 1 } }));
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

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

test("got-12: a token refresh by retryWithMergedOptions passes with an empty budget (#918)", async () => {
  const server = await serve(status(401), ok);
  const { client, policy } = fixture({ initial: 0 });
  const response = await client(server.url, {
    hooks: {
      afterResponse: [
        (reply, retryWithMergedOptions) =>
          reply.statusCode === 401
            ? retryWithMergedOptions({ headers: { token: "fresh" } })
            : reply,
      ],
    },
  });
  expect([response.statusCode, server.hits[1]?.headers["token"]]).toEqual([200, "fresh"]);
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 0 }]);
});

test("got-13: after a redirect the origin that failed is charged, and each hop deposits", async () => {
  const target = await serve(unavailable);
  const server = await serve(status(302, { location: `${target.url}/there` }));
  const { client, policy } = fixture();
  await errorOf(client(server.url));
  expect([server.hits.length, target.hits.length]).toEqual([1, 3]);
  expect(policy.snapshot()).toMatchObject([
    { origin: server.url, originals: 1, retries: 0, balance: 10 },
    { origin: target.url, originals: 1, retries: 2, balance: 8 },
  ]);
});

test("got-15: cancel() in the backoff gives the token back", async () => {
  const server = await serve(unavailable);
  const { plugin, policy } = fixture();
  const promise = got.extend(plugin)(server.url, { retry: { calculateDelay: () => 10_000 } });
  const error = errorOf(promise);
  await until(() => policy.snapshot()[0]?.balance === 9);
  promise.cancel();
  expect(await error).toMatchObject({ name: "CancelError" });
  await until(() => policy.snapshot()[0]?.balance === 10);
  expect(server.hits).toHaveLength(1);
});

test("got-16: a beforeRetry of the user's that throws gives the token back", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const mine = (): never => {
    throw new Error("mine");
  };
  const error = await errorOf(client(server.url, { hooks: { beforeRetry: [mine] } }));
  expect(error.message).toBe("mine");
  await until(() => policy.snapshot()[0]?.balance === 10);
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
});

test("got-17: a stream body is sent once, and the message is got's own (#1382)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const error = await errorOf(client.put(server.url, { body: Readable.from(["chunk"]) }));
  expect(error.message).not.toContain("consumed");
  expect(refusalOf(error)).toMatchObject({ refusal: "body" });
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("got-18: a stream that the user's beforeRetry supplies afresh is sent in full (#1500, #2073)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const fresh = (): Readable => Readable.from(["chunk"]);
  await errorOf(
    client.put(server.url, {
      body: fresh(),
      hooks: {
        beforeRetry: [
          (error) => {
            error.options.body = fresh();
          },
        ],
      },
    }),
  );
  expect(server.hits.map(({ body }) => String(body))).toEqual(["chunk", "chunk", "chunk"]);
  expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
});

test("got-19: native FormData, on which got 14 hangs, is sent once (#1282, #1691)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const body = new FormData();
  body.set("field", "value");
  const error = await errorOf(client.put(server.url, { body: body as never }));
  expect(refusalOf(error)).toMatchObject({ refusal: "body" });
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test.each<[string, OptionsInit]>([
  ["a string", { body: "text" }],
  ["a Buffer", { body: Buffer.from("text") }],
  ["json", { json: { a: 1 } }],
  ["form", { form: { a: "1" } }],
])("got-20: a POST that got is told to retry sends %s again, byte for byte", async (_, body) => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(
    client.post(server.url, { ...body, retry: { methods: ["POST"] } }) as Promise<unknown>,
  );
  const sent = server.hits.map((hit) => String(hit.body));
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).not.toBe("");
  expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
});

test("got-21: a Retry-After beyond every timer is one hit and no timer warning", async () => {
  const warnings: string[] = [];
  const listener = ({ name }: Error): number => warnings.push(name);
  process.on("warning", listener);
  const server = await serve(status(503, { "retry-after": "9999999" }));
  const { plugin, policy } = fixture();
  await errorOf(got.extend(plugin)(server.url));
  await setImmediate();
  process.off("warning", listener);
  expect([server.hits.length, warnings, net(policy)]).toEqual([
    1,
    [],
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("a delay of the user's beyond every timer does not fire at once", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const controller = new AbortController();
  const options = { retry: { calculateDelay: () => 3e9 }, signal: controller.signal };
  const error = errorOf(client(server.url, options));
  await until(() => policy.snapshot()[0]?.balance === 9);
  await new Promise((resolve) => setTimeout(resolve, 100));
  controller.abort();
  await error;
  expect(server.hits).toHaveLength(1);
});

describe("streams", () => {
  const finish = async (stream: Readable): Promise<unknown> =>
    text(stream).then(
      (body) => body,
      (error: unknown) => error,
    );

  test("got-22: without a retry listener they are never asked, deposit once, and get none from us (#1852)", async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const stream = client.stream(server.url);
    expect(stream.listenerCount("retry")).toBe(0);
    expect(await finish(stream)).toBeInstanceOf(HTTPError);
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 10 }],
    ]);
  });

  test("got-23: with createRetryStream they are three hits, one deposit, two tokens (#2226)", async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const error = await new Promise((resolve) => {
      const listen = (stream: ReturnType<typeof client.stream>): void => {
        stream.once(
          "retry",
          (_count: number, _error: unknown, createRetryStream: () => typeof stream) =>
            listen(createRetryStream()),
        );
        stream.once("error", resolve);
        stream.resume();
      };
      listen(client.stream(server.url));
    });
    expect(error).toBeInstanceOf(HTTPError);
    expect([server.hits.length, net(policy)]).toEqual([
      3,
      [{ originals: 1, retries: 2, balance: 8 }],
    ]);
  });

  test("got-25: with a listener and an empty budget the error is the HTTPError with its body", async () => {
    const server = await serve(unavailable);
    const { client } = fixture({ initial: 0 });
    const stream = client.stream(server.url);
    const retried: unknown[] = [];
    stream.once("retry", (count: number) => retried.push(count));
    const error = await finish(stream);
    expect(error).toBeInstanceOf(HTTPError);
    expect((error as HTTPError).response.body).toBe("answer 503");
    expect(retried).toEqual([]);
  });

  test("a success streams through", async () => {
    const server = await serve(ok);
    const { client, policy } = fixture();
    const through = client.stream(server.url).pipe(new PassThrough());
    expect(await text(through)).toBe("answer 200");
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
  });
});

test("got-26: .json() on a refused 503 is one rejection (#2196)", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ initial: 0 });
  const error = await errorOf(client(server.url).json());
  expect(error).toBeInstanceOf(HTTPError);
});

test("got-27: each page of a pagination deposits, and a page that fails is retried", async () => {
  const page = (number: number): Reply => status(200, {}, JSON.stringify([number]));
  const server = await serve(page(1), unavailable, page(2), page(3));
  const { client, policy } = fixture();
  const items = await client.paginate.all<number, string>(server.url, {
    pagination: {
      transform: (response) => JSON.parse(response.body) as number[],
      paginate: ({ currentItems }) => (currentItems[0] === 3 ? false : {}),
    },
  });
  expect(items).toEqual([1, 2, 3]);
  expect(net(policy)).toEqual([{ originals: 3, retries: 1, balance: 9 }]);
});

test("got-28: a refused connection is three attempts, and the error is got's own", async () => {
  const { client, policy } = fixture();
  const error = await errorOf(client(await refusingUrl()));
  expect(error).toMatchObject({ name: "RequestError", code: "ECONNREFUSED" });
  expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
});

test("got-29: a connection that is destroyed: a GET thrice, a POST once (#1671)", async () => {
  const { client, policy } = fixture();
  const [get, post] = [await serve(reset()), await serve(reset())];
  await errorOf(client(get.url));
  await errorOf(client.post(post.url, { body: "x" }));
  expect([get.hits.length, post.hits.length]).toEqual([3, 1]);
  expect(net(policy)).toEqual([
    { originals: 1, retries: 2, balance: 8 },
    { originals: 1, retries: 0, balance: 10 },
  ]);
});

test("got-31: a deadline spans the attempts (#602, #779, #927, #2332)", async () => {
  const server = await serve(hang());
  const { client, policy } = fixture({ deadline: 1000 });
  const error = await errorOf(client(server.url, { timeout: { request: 600 } }));
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 2 });
  expect(net(policy)).toEqual([{ originals: 1, retries: 1, balance: 9 }]);
});

test("got-32: what the cache answers deposits nothing", async () => {
  const server = await serve(status(200, { "cache-control": "max-age=60" }, "cached"));
  const { client, policy } = fixture();
  const cache = new Map();
  expect((await client(server.url, { cache })).body).toBe("cached");
  expect((await client(server.url, { cache })).isFromCache).toBe(true);
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("got-33: 400 failing originals in waves of 40 stay within the bound", async () => {
  const server = await serve(unavailable);
  const { client } = fixture();
  for (let wave = 0; wave < 10; wave++) {
    await Promise.all(Array.from({ length: 40 }, () => errorOf(client(server.url))));
  }
  expect(server.hits.length).toBeLessThanOrEqual(400 + 10 + 40);
  expect(server.hits.length).toBeGreaterThan(400 + 40);
});

test("got-34: from nothing, ten successes buy exactly one retry", async () => {
  const server = await serve(...Array.from({ length: 10 }, () => ok), unavailable);
  const { client } = fixture({ initial: 0 });
  for (let request = 0; request < 10; request++) await client(server.url);
  await errorOf(client(server.url));
  expect(server.hits).toHaveLength(12);
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

test("got-37: 50 at once with three tokens and an asynchronous calculateDelay make exactly three retries", async () => {
  const server = await serve(unavailable);
  const { plugin } = fixture({ initial: 3, ratio: 0 });
  const client = got.extend(plugin, {
    retry: {
      calculateDelay: async ({ computedValue }) => {
        await setImmediate();
        return computedValue && 2;
      },
    },
  });
  await Promise.all(Array.from({ length: 50 }, () => errorOf(client(server.url))));
  expect(server.hits).toHaveLength(53);
});

test("onRetry may change the headers of the retry", async () => {
  const server = await serve(unavailable, ok);
  const { client } = fixture({
    onRetry: async ({ headers }) => {
      (headers as Record<string, string>)["authorization"] = "Bearer fresh";
    },
  });
  await client(server.url, { headers: { authorization: "Bearer old" } });
  expect(server.hits.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer old",
    "Bearer fresh",
  ]);
});

test("when onRetry throws, the error is got's own HTTPError", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = await errorOf(client(server.url));
  expect(error).toBeInstanceOf(HTTPError);
  expect(error.response?.body).toBe("answer 503");
});

test("an abort during onRetry runs no beforeError hook and leaves no retry behind", async () => {
  const server = await serve(unavailable);
  let asked = false;
  const { client, policy } = fixture({
    onRetry: () => {
      asked = true;
      return new Promise(() => undefined);
    },
  });
  const hooks: unknown[] = [];
  const controller = new AbortController();
  const error = errorOf(
    client(server.url, {
      signal: controller.signal,
      hooks: {
        beforeError: [
          (failure) => {
            hooks.push(failure.name);
            return failure;
          },
        ],
      },
    }),
  );
  await until(() => asked);
  controller.abort();
  expect(await error).toMatchObject({ name: "AbortError" });
  await until(() => policy.snapshot()[0]?.balance === 10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([server.hits.length, hooks]).toEqual([1, []]);
});

test("a deposit on success is earned by promises and by streams", async () => {
  const server = await serve(ok);
  const { client, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  await client(server.url);
  expect(policy.snapshot()).toMatchObject([{ balance: 1 }]);
  await text(client.stream(server.url));
  expect(policy.snapshot()).toMatchObject([{ balance: 2 }]);
});

test("what got cannot make options of fails as with bare got", async () => {
  const { client } = fixture();
  const error = await errorOf(client("http://127.0.0.1:1", { nonsense: 1 } as never));
  expect(error).toMatchObject({ name: "RequestError" });
  await expect(errorOf(client(undefined as never))).resolves.toBeInstanceOf(Error);
});

test.each([["a string"], [7], [null], [{ ratios: 1 }]])(
  "retryBudget(%j) is a TypeError at set-up",
  (options) => {
    expect(() => retryBudget(options as never)).toThrow(TypeError);
  },
);

describe("what the user puts into a request's way", () => {
  test("a beforeError hook that returns an error of its own: that is what the caller gets", async () => {
    const server = await serve(status(404));
    const { client } = fixture();
    class MyError extends Error {}
    const beforeError = [(error: Error) => new MyError(error.message) as never];
    expect(await errorOf(client(server.url, { hooks: { beforeError } }))).toBeInstanceOf(MyError);
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

  test("a request in a hook, whose error the hook lets through, is another request", async () => {
    const token = await serve(unavailable, ok);
    const server = await serve(ok);
    const { client, policy } = fixture();
    const beforeRequest = [fetching(token)];
    expect(await client(server.url, { hooks: { beforeRequest } })).toMatchObject({
      statusCode: 200,
    });
    expect([token.hits.length, server.hits.length]).toEqual([2, 1]);
    expect(net(policy)).toEqual([{ originals: 1, retries: 1, balance: 9 }]);
  });

  test("such a request leaves no listener on a signal that many requests share", async () => {
    const [token, server] = [await serve(unavailable, ok), await serve(ok)];
    const { client } = fixture();
    const beforeRequest = [fetching(token)];
    const { signal } = new AbortController();
    await client(server.url, { hooks: { beforeRequest }, signal });
    expect(token.hits).toHaveLength(2);
    // got takes its own off in a later turn.
    await until(() => getEventListeners(signal, "abort").length === 0);
  });

  test("such a request that ends in the backoff gives its token back", async () => {
    const [token, server] = [await serve(unavailable), await serve(ok)];
    const { client, policy } = fixture({ ratio: 0 });
    const beforeRequest = [fetching(token)];
    const slow = { hooks: { beforeRequest }, retry: { calculateDelay: () => 10_000 } };
    const stream = client.stream(server.url, slow);
    stream.on("retry", () => undefined).on("error", () => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    stream.destroy();
    await until(() => policy.snapshot()[0]?.balance === 10);
    const controller = new AbortController();
    const promise = errorOf(client(server.url, { ...slow, signal: controller.signal }));
    await until(() => policy.snapshot()[0]?.balance === 9);
    controller.abort();
    await promise;
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { aborted: 2 } }]);
  });

  test("such a request without a token is not sent again", async () => {
    const token = await serve(unavailable);
    const { client } = fixture({ initial: 0 });
    const beforeRequest = [fetching(token)];
    await errorOf(client("http://127.0.0.1:1", { hooks: { beforeRequest } }));
    expect(token.hits).toHaveLength(1);
  });

  test("a URL that a hook rewrites is where the budget is", async () => {
    const server = await serve(ok);
    const { client, policy } = fixture({ initial: 0, ratio: 1 });
    const beforeRequest = [
      (options: { url?: string | URL | undefined }) => {
        options.url = new URL(server.url);
      },
    ];
    await client("http://discovered.example", { hooks: { beforeRequest } });
    expect(policy.snapshot()).toContainEqual(
      expect.objectContaining({ origin: server.url, originals: 1, balance: 1 }),
    );
  });

  test("a hook that answers by itself, and a cached 404, earn nothing", async () => {
    const server = await serve(status(404, { "cache-control": "max-age=60" }));
    const { client, policy } = fixture({ initial: 0, ratio: 1 });
    const cache = new Map();
    for (let call = 0; call < 3; call++) await errorOf(client(server.url, { cache }));
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 1 }],
    ]);
  });

  test("a beforeRetry that aborts, or that only watches a stream body, costs nothing", async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const controller = new AbortController();
    await errorOf(
      client(server.url, {
        signal: controller.signal,
        hooks: { beforeRetry: [() => controller.abort()] },
      }),
    );
    const body = Readable.from(["x"]);
    const hooks = { beforeRetry: [() => undefined] };
    const error = await errorOf(client.put(server.url, { body, hooks }));
    expect(error.message).toContain("consumed");
    expect([server.hits.length, net(policy)]).toEqual([
      2,
      [{ originals: 2, retries: 0, balance: 10 }],
    ]);
  });

  test("an abort while calculateDelay thinks runs no beforeError hook", async () => {
    const server = await serve(unavailable);
    const { plugin } = fixture();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const error = await errorOf(
      got.extend(plugin)(server.url, {
        signal: controller.signal,
        retry: {
          calculateDelay: async () => {
            controller.abort();
            await setImmediate();
            return 5;
          },
        },
        hooks: {
          beforeError: [
            (failure) => {
              seen.push(failure.name);
              return failure;
            },
          ],
        },
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([error.name, seen]).toEqual(["AbortError", []]);
  });
});

describe("a retry of another kind than its original", () => {
  test("after a 303 the GET is judged, and not the POST", async () => {
    const target = await serve(unavailable, ok);
    const server = await serve(status(303, { location: target.url }));
    const { client } = fixture();
    const response = await client.post(server.url, { json: { a: 1 } });
    expect([response.statusCode, target.hits.map(({ method }) => method)]).toEqual([
      200,
      ["GET", "GET"],
    ]);
  });

  test("pages that go on with the last response's options have retries of their own", async () => {
    const page = (number: number): Reply => status(200, {}, JSON.stringify([number]));
    const server = await serve(page(1), unavailable, page(2));
    const { client, policy } = fixture();
    const items = await client.paginate.all<number, string>(server.url, {
      pagination: {
        transform: (response) => JSON.parse(response.body) as number[],
        paginate: ({ response, currentItems }) =>
          currentItems[0] === 2 ? false : (response.request.options as never),
      },
    });
    expect(items).toEqual([1, 2]);
    expect(net(policy)).toEqual([{ originals: 2, retries: 1, balance: 9 }]);
  });

  test("a stream whose body breaks off is retried, and earns nothing until it has ended", async () => {
    const server = await serve((response, request) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("abc", () => request.socket.destroy());
    }, ok);
    const { client, policy } = fixture({ depositOn: "success", initial: 1, ratio: 1, capacity: 5 });
    const body = await new Promise((resolve, reject) => {
      const listen = (stream: ReturnType<typeof client.stream>): void => {
        stream.once("retry", (_count: number, _error: unknown, next: () => typeof stream) =>
          listen(next()),
        );
        stream.once("error", reject);
        let received = "";
        stream.on("data", (chunk: Buffer) => {
          received += chunk;
        });
        stream.once("end", () => resolve(received));
      };
      listen(client.stream(server.url));
    });
    expect(body).toBe("answer 200");
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });

  test("got-24: a stream that the caller makes anew for each retry is one call (#871)", async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture({ capacity: 100, initial: 50, ratio: 1 });
    const finished = new Promise((resolve) => {
      const go = (retryCount: number): void => {
        const stream = client.stream(server.url, { retry: { limit: 8 } });
        stream.retryCount = retryCount;
        stream.once("retry", go);
        stream.once("error", resolve);
        stream.resume();
      };
      go(0);
    });
    expect(await finished).toBeInstanceOf(HTTPError);
    expect([server.hits.length, net(policy)]).toEqual([
      3,
      [{ originals: 1, retries: 2, balance: 49 }],
    ]);
  });

  test("a success that a hook is not content with may be retried after all", async () => {
    const server = await serve(ok, unavailable, ok);
    const { client } = fixture();
    let refreshed = false;
    const afterResponse = [
      (response: never, retryWithMergedOptions: (options: object) => never) => {
        if (refreshed) return response;
        refreshed = true;
        return retryWithMergedOptions({});
      },
    ];
    expect(
      await client(server.url, { hooks: { afterResponse: afterResponse as never } }),
    ).toMatchObject({
      statusCode: 200,
    });
    expect(server.hits).toHaveLength(3);
  });

  test("a deposit on success comes after a refreshed token as well", async () => {
    const server = await serve(status(401), ok);
    const { client, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
    const afterResponse = [
      (response: { statusCode: number }, retryWithMergedOptions: (options: object) => never) =>
        response.statusCode === 401 ? retryWithMergedOptions({}) : response,
    ];
    await client(server.url, { hooks: { afterResponse: afterResponse as never } });
    expect(policy.snapshot()).toMatchObject([{ balance: 1, originals: 1 }]);
  });
});

test.each([
  ["http://unix:/run/a.sock:/v1/info", "unix:/run/a.sock"],
  ["http://127.0.0.1:1/v1", "http://127.0.0.1:1"],
])("the budget of %s is called %s", async (url, origin) => {
  const { client, policy } = fixture();
  await errorOf(client(url, { enableUnixSockets: true, retry: { limit: 0 } }));
  expect(policy.snapshot()).toMatchObject([{ origin }]);
});
