import { getEventListeners } from "node:events";
import { type FlakyServer, serve, status, until } from "@retry-budget/testkit";
import got, { type OptionsInit } from "got";
import { expect, test } from "vitest";
import { abortable, errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

/** A hook that makes a request of its own, and lets its error through. */
const fetching = (token: FlakyServer) => async (): Promise<void> => {
  await got(token.url, { retry: { limit: 0 } });
};

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

const slow = (token: FlakyServer): OptionsInit => ({
  hooks: { beforeRequest: [fetching(token)] },
  retry: { calculateDelay: () => 10_000 },
});

test("such a request as a stream that ends in the backoff gives its token back", async () => {
  const [token, server] = [await serve(unavailable), await serve(ok)];
  const { client, policy } = fixture({ ratio: 0 });
  const stream = client.stream(server.url, slow(token) as object);
  stream.on("retry", () => undefined).on("error", () => undefined);
  await until(() => policy.snapshot()[0]?.balance === 9);
  stream.destroy();
  await until(() => policy.snapshot()[0]?.balance === 10);
  expect(policy.snapshot()).toMatchObject([{ refusals: { aborted: 1 } }]);
});

// The promise of got 11 shows nothing of a cancel: the token is lost.
test.skipIf(gotMajor === 11)(
  "such a request that is aborted in the backoff gives its token back",
  async () => {
    const [token, server] = [await serve(unavailable), await serve(ok)];
    const { client, policy } = fixture({ ratio: 0 });
    const { error, abort } = abortable(client, server.url, slow(token));
    await until(() => policy.snapshot()[0]?.balance === 9);
    abort();
    await error;
    await until(() => policy.snapshot()[0]?.balance === 10);
    expect(policy.snapshot()).toMatchObject([{ refusals: { aborted: 1 } }]);
  },
);

test("such a request without a token is not sent again", async () => {
  const token = await serve(unavailable);
  const { client } = fixture({ initial: 0 });
  const beforeRequest = [fetching(token)];
  await errorOf(client("http://127.0.0.1:1", { hooks: { beforeRequest } }));
  expect(token.hits).toHaveLength(1);
});

// got 11 tells no hook of such an error.
test.skipIf(gotMajor === 11)(
  "such a request whose error ends a retry that was about to be sent gives its token back",
  async () => {
    const [token, server] = [await serve(ok, status(401)), await serve(unavailable)];
    const { client, policy } = fixture();
    const hooks = { beforeRequest: [fetching(token)] };
    const error = await errorOf(client(server.url, { hooks }));
    expect(error.response?.statusCode).toBe(401);
    expect(server.hits).toHaveLength(1);
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
  },
);

test("an afterResponse that returns the response of another request: the success earns all the same", async () => {
  const [server, other] = [await serve(ok), await serve(ok)];
  const { client, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  const afterResponse = [(): never => got(other.url) as never];
  await client(server.url, { hooks: { afterResponse } });
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 1 }]);
});
