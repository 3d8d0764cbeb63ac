import { getEventListeners } from "node:events";
import { Agent, type ClientRequest, request as nodeRequest } from "node:http";
import { Readable } from "node:stream";
import { refusalOf } from "@retry-budget/core";
import { hang, serve, status, truncate, until } from "@retry-budget/testkit";
import got, { type Got, HTTPError, type OptionsInit } from "got";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  abortable,
  errorOf,
  failOnStrayErrors,
  fast,
  fixture,
  net,
  ok,
  unavailable,
} from "./fixture.js";
import { failsOfTruncated, gotMajor } from "./got-version.js";
import { finish, readWithRetries } from "./streams.js";

failOnStrayErrors();

/** Ten requests to a server that is down: what it got, and the books. */
async function outage(client: Got, options: OptionsInit = {}): Promise<number> {
  const server = await serve(unavailable);
  for (let call = 0; call < 10; call++) {
    await errorOf(client(server.url, options) as Promise<unknown>);
  }
  return server.hits.length;
}

describe("what never reaches the network earns nothing:", () => {
  const rich = { initial: 0, ratio: 1 } as const;

  test("a request that is aborted while it waits for a socket", async () => {
    const server = await serve(hang());
    const { client, policy } = fixture(rich);
    const http = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => http.destroy());
    const first = abortable(client, server.url, { agent: { http } });
    await server.received(1);
    const queued = abortable(client, server.url, { agent: { http } });
    const isQueued = (): boolean => Object.keys(http.requests).length > 0;
    await until(isQueued);
    queued.abort();
    await queued.error;
    first.abort();
    await first.error;
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 1 }],
    ]);
  });

  test.each<[string, OptionsInit]>([
    ["a header that cannot be sent", { headers: { "x-a": "\u0000" } }],
    [
      "a request function that throws",
      {
        request: () => {
          throw new Error("no request");
        },
      },
    ],
  ])("%s", async (_, options) => {
    const { client, policy } = fixture(rich);
    await errorOf(client("http://127.0.0.1:1", options) as Promise<unknown>);
    expect(net(policy)).toEqual([{ originals: 0, retries: 0, balance: 0 }]);
  });
});

describe("hooks that get in the way of ours:", () => {
  const one = { capacity: 1, ratio: 0 } as const;
  const spoilers: [string, OptionsInit["hooks"]][] = [
    [
      "one that takes those after it out of the list",
      {
        beforeRequest: [
          ({ hooks }) => {
            hooks.beforeRequest.length = 1;
          },
        ],
      },
    ],
    [
      "one that sets a calculateDelay as the request goes out",
      {
        beforeRequest: [
          ({ retry }) => {
            // After ours, and before there can be an answer.
            setImmediate(() => {
              retry.calculateDelay = () => 1;
            });
          },
        ],
      },
    ],
  ];

  test.each(spoilers)("%s: no retry goes without a token", async (_, hooks) => {
    const { client, policy } = fixture(one);
    expect(await outage(client, { hooks } as OptionsInit)).toBe(11);
    expect(net(policy)).toEqual([{ originals: 10, retries: 1, balance: 0 }]);
  });

  test("one that gives the network request itself: no retry goes without a token", async () => {
    const { client, policy } = fixture(one);
    const send = ({ url }: { url?: string | URL }): ClientRequest => nodeRequest(String(url));
    const hooks = { beforeRequest: [send as never] };
    expect(await outage(client, { hooks })).toBe(11);
    expect(net(policy)).toEqual([{ originals: 10, retries: 1, balance: 0 }]);
  });

  test("lists that a handler shares between requests, or has frozen, stay as they are", async () => {
    const shared = [(): undefined => undefined];
    const frozen = Object.freeze([(failure: Error) => failure as never]);
    const { plugin, policy } = fixture();
    const client = got.extend(
      {
        handlers: [
          (options, next) => {
            options.hooks.beforeRequest = shared;
            options.hooks.beforeError = frozen as never;
            return next(options);
          },
        ],
      },
      plugin,
      fast,
    );
    const server = await serve(unavailable);
    await Promise.all([1, 2, 3].map(() => errorOf(client(server.url))));
    expect([shared.length, server.hits.length, net(policy)]).toEqual([
      1,
      9,
      [{ originals: 3, retries: 6, balance: 4 }],
    ]);
  });

  // got 12 and later copy what they are given.
  test.runIf(gotMajor === 11).each([
    ["shares between requests", (hooks: object) => hooks],
    ["has frozen", Object.freeze],
  ])("hooks that a handler %s stay as they are", async (_, make) => {
    const hooks = make({ beforeRequest: [], afterResponse: [], beforeError: [] });
    const { plugin, policy } = fixture(one);
    const handler = (options: { hooks: unknown }, next: (options: never) => never): never => {
      options.hooks = hooks;
      return next(options as never);
    };
    const client = got.extend({ handlers: [handler as never] }, plugin, fast);
    const server = await serve(unavailable);
    await Promise.all(Array.from({ length: 10 }, () => errorOf(client(server.url))));
    expect(hooks).toEqual({ beforeRequest: [], afterResponse: [], beforeError: [] });
    expect([server.hits.length, net(policy)]).toEqual([
      11,
      [{ originals: 10, retries: 1, balance: 0 }],
    ]);
  });

  test("retry options that a handler shares between requests stay as they are", async () => {
    const shared = { ...got.defaults.options.retry, calculateDelay: () => 1 };
    const { calculateDelay } = shared;
    const { plugin, policy } = fixture(one);
    const client = got.extend(
      {
        handlers: [
          (options, next) => {
            options.retry = shared;
            return next(options);
          },
        ],
      },
      plugin,
    );
    const server = await serve(unavailable);
    await Promise.all(Array.from({ length: 10 }, () => errorOf(client(server.url))));
    expect(shared.calculateDelay).toBe(calculateDelay);
    expect([server.hits.length, net(policy)]).toEqual([
      11,
      [{ originals: 10, retries: 1, balance: 0 }],
    ]);
  });

  test("a limit that is raised later holds", async () => {
    const { client } = fixture({ initial: 100, capacity: 100, maxAttempts: 100 });
    const beforeRequest = [
      (options: { retry: { limit?: number } }): void => {
        options.retry.limit = 4;
      },
    ];
    expect(await outage(client, { hooks: { beforeRequest } })).toBe(50);
  });

  // got 11 tells no other hook of such an error.
  test.skipIf(gotMajor === 11)(
    "one that fails before the retry, as a connection does, is another failure, and not the end",
    async () => {
      const server = await serve(unavailable, ok);
      const { client, policy } = fixture();
      let requests = 0;
      const beforeRequest = [
        (): void => {
          if (++requests === 2) throw Object.assign(new Error("token"), { code: "ECONNREFUSED" });
        },
      ];
      expect(await client(server.url, { hooks: { beforeRequest } })).toMatchObject({
        statusCode: 200,
      });
      expect([server.hits.length, net(policy)]).toEqual([
        2,
        [{ originals: 1, retries: 1, balance: 9 }],
      ]);
    },
  );

  test("one that makes a failure of a success: it is retried as with bare got", async () => {
    const server = await serve(ok);
    const { client } = fixture();
    const afterResponse = [
      (response: { statusCode: number }): never => {
        response.statusCode = 503;
        return response as never;
      },
    ];
    const error = await errorOf(client(server.url, { hooks: { afterResponse } }));
    expect(error).toBeInstanceOf(HTTPError);
    expect(server.hits).toHaveLength(3);
  });

  test.skipIf(gotMajor === 11)(
    "one that answers a retry by itself leaves no listener on a signal, and no refusal",
    async () => {
      const server = await serve(unavailable);
      const { client, policy } = fixture();
      const { signal } = new AbortController();
      let requests = 0;
      const answer = { statusCode: 200, headers: {}, url: server.url };
      const beforeRequest = [
        () => {
          if (++requests === 1) return undefined;
          return Object.assign(Readable.from(["by itself"]), answer) as never;
        },
      ];
      const response = await client(server.url, { signal, hooks: { beforeRequest } });
      expect(response.body).toBe("by itself");
      expect(refusalOf(response)).toBeUndefined();
      await until(() => getEventListeners(signal, "abort").length === 0);
      expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 0, balance: 10 }]);
    },
  );
});

describe.skipIf(gotMajor === 11)("a stream that createRetryStream makes:", () => {
  test("its success earns, where successes do", async () => {
    const server = await serve(unavailable, ok);
    const { client, policy } = fixture({ depositOn: "success", initial: 1, ratio: 1 });
    expect(await readWithRetries(client, server.url)).toBe("answer 200");
    expect(net(policy)).toEqual([{ originals: 1, retries: 1, balance: 1 }]);
  });

  test.skipIf(failsOfTruncated)(
    "its failing status, which is no error, says why it is the last",
    async () => {
      const server = await serve(truncate(), status(503));
      const { client } = fixture();
      let last: unknown;
      await readWithRetries(client, server.url, { throwHttpErrors: false }, (stream) => {
        stream.on("end", () => {
          last = refusalOf(stream.response);
        });
      });
      expect(last).toMatchObject({ refusal: "permanent", attempts: 2 });
    },
  );
});

test("a stream's failing status, which is no error, has its refusal when the stream ends", async () => {
  const server = await serve(unavailable);
  const { client } = fixture();
  const stream = client.stream(server.url, { throwHttpErrors: false });
  let atEnd: unknown;
  stream.on("end", () => {
    atEnd = refusalOf(stream.response);
  });
  expect(await finish(stream)).toBe("answer 503");
  if (gotMajor > 11) expect(atEnd).toMatchObject({ refusal: "permanent" });
});
