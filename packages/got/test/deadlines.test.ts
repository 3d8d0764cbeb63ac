import { setTimeout as pause } from "node:timers/promises";
import { refusalOf, runInside } from "@retry-budget/core";
import { hang, outerOf, type Reply, serve } from "@retry-budget/testkit";
import got, { type ExtendOptions, type OptionsInit, TimeoutError } from "got";
import { describe, expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, pageOf, unavailable } from "./fixture.js";
import { finish } from "./streams.js";

failOnStrayErrors();

const timedOut = { event: "request", code: "ETIMEDOUT", name: "TimeoutError" };
const noTime = outerOf({ isRetried: false, remaining: () => 0 });

/** A first request, so that the socket is there to be used again. */
async function warmUp(url: string): Promise<void> {
  await got(url);
}

describe("with no time left nothing goes out:", () => {
  test.each([
    ["a GET", {}],
    ["a POST", { method: "POST", body: "text" }],
    ["one with a cache", { cache: new Map() }],
    ["one with a user's timeouts", { timeout: { socket: 5000, lookup: 50, response: 50 } }],
    ["one that never throws for a status", { throwHttpErrors: false }],
  ] as [string, OptionsInit][])("%s", async (_, options) => {
    const server = await serve(ok);
    await warmUp(server.url);
    const { client, policy } = fixture();
    const error = await errorOf(
      runInside(noTime, () => client(server.url, options) as Promise<unknown>),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject(timedOut);
    expect(error.options.timeout.request).toBeUndefined();
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 0, retries: 0, balance: 10 }],
    ]);
  });

  test("a stream", async () => {
    const server = await serve(ok);
    const { client } = fixture();
    const error = await finish(runInside(noTime, () => client.stream(server.url)));
    expect(error).toMatchObject(timedOut);
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
    expect(server.hits).toHaveLength(0);
  });

  test("a request whose own hook took all of it", async () => {
    const server = await serve(ok);
    const { client, policy } = fixture({ deadline: 50 });
    const hooks = { beforeRequest: [() => pause(80)] };
    const error = await errorOf(client(server.url, { hooks }));
    expect(error).toMatchObject(timedOut);
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
    expect([server.hits.length, policy.snapshot()[0]?.originals]).toEqual([0, 0]);
  });

  test.each(["beforeRetry", "beforeRequest"])("a retry whose %s took all of it", async (name) => {
    const server = await serve(unavailable);
    const { client, policy } = fixture({ deadline: 200 });
    let runs = name === "beforeRetry" ? 1 : 0;
    const hooks = { [name]: [() => (++runs > 1 ? pause(250) : undefined)] };
    const error = await errorOf(client(server.url, { hooks }));
    expect(error).toMatchObject(timedOut);
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 10 }],
    ]);
  });
});

describe("a deadline ends in flight, by got's own timer,", () => {
  const inTime = async (options: object, url: string, own: OptionsInit = {}): Promise<unknown> => {
    const begin = performance.now();
    const { client } = fixture(options);
    const error = await errorOf(client(url, own) as Promise<unknown>);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject(timedOut);
    const took = performance.now() - begin;
    expect(took).toBeGreaterThan(298);
    expect(took).toBeLessThan(1500);
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
    return error.options.timeout.request;
  };

  test("a body that does not end", async () => {
    const server = await serve((response) => void response.writeHead(200).write("begin"));
    expect(await inTime({ deadline: 300 }, server.url)).toBeUndefined();
  });

  test("a request with a longer timeout of the user's, which stays in its options", async () => {
    const server = await serve(hang());
    const own = { timeout: { request: 5000 } };
    expect(await inTime({ deadline: 300 }, server.url, own)).toBe(5000);
  });

  test("what a redirect led to, and the way there counts", async () => {
    const late = await serve(hang());
    const server = await serve((response) => {
      setTimeout(() => response.writeHead(302, { location: late.url }).end(), 150);
    });
    const begin = performance.now();
    await inTime({ deadline: 300 }, server.url);
    expect(performance.now() - begin).toBeLessThan(420);
    expect([server.hits.length, late.hits.length]).toEqual([1, 1]);
  });

  test("a retry, and what came before it counts", async () => {
    const late503: Reply = (response) => {
      setTimeout(() => response.writeHead(503).end(), 150);
    };
    const server = await serve(late503, hang());
    const begin = performance.now();
    await inTime({ deadline: 300 }, server.url);
    expect(performance.now() - begin).toBeLessThan(420);
    expect(server.hits).toHaveLength(2);
  });

  test("a stream", async () => {
    const server = await serve((response) => void response.writeHead(200).write("begin"));
    const { client } = fixture({ deadline: 300 });
    const error = await finish(client.stream(server.url));
    expect(error).toMatchObject(timedOut);
    expect(server.hits).toHaveLength(1);
  });
});

test("a shorter timeout of the user's is never raised, and is retried as ever", async () => {
  const server = await serve(hang());
  const { client } = fixture({ deadline: 10_000 });
  const error = await errorOf(client(server.url, { timeout: { request: 60 } }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
  expect(error.message).toBe("Timeout awaiting 'request' for 60ms");
});

test("what an answer in time shows, and the next page inherits, is the user's own timeout", async () => {
  const server = await serve(ok);
  const { client } = fixture({ deadline: 5000 });
  const seen: unknown[] = [];
  const pagination: ExtendOptions["pagination"] = {
    transform: () => [1],
    requestLimit: 2,
    paginate: (given: unknown) => {
      seen.push(pageOf(given).request.options.timeout.request);
      return { url: new URL(server.url) } as never;
    },
  };
  await client.paginate.all(server.url, { pagination } as never);
  expect(new Set(seen)).toEqual(new Set([undefined]));
  expect(server.hits).toHaveLength(2);
});
