import { serve, status } from "@retry-budget/testkit";
import got, { type AfterResponseHook, type Response, RetryError } from "got";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

const refreshing: AfterResponseHook = (response, retryWithMergedOptions) =>
  response.statusCode === 401 ? retryWithMergedOptions({ headers: { token: "fresh" } }) : response;

test("a beforeError hook that returns an error of its own: the caller gets what bare got makes of it", async () => {
  const server = await serve(status(404));
  const { client } = fixture();
  class MyError extends Error {}
  const beforeError = [(error: Error) => new MyError(error.message) as never];
  const error = await errorOf(client(server.url, { hooks: { beforeError } }));
  const bare = await errorOf(got(server.url, { hooks: { beforeError } }));
  expect([error.constructor, error.message]).toEqual([bare.constructor, bare.message]);
});

test("got-12: a token refresh by retryWithMergedOptions passes with an empty budget (#918)", async () => {
  const server = await serve(status(401), ok);
  const { client, policy } = fixture({ initial: 0 });
  const response = await client(server.url, { hooks: { afterResponse: [refreshing] } });
  expect([response.statusCode, server.hits[1]?.headers["token"]]).toEqual([200, "fresh"]);
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 0 }]);
});

test("after a refreshed token a failure is retried as ever, and pays", async () => {
  const server = await serve(status(401), unavailable, ok);
  const { client, policy } = fixture();
  const response = await client(server.url, { hooks: { afterResponse: [refreshing] } });
  expect(response.statusCode).toBe(200);
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 1, balance: 9 }],
  ]);
});

test.skipIf(gotMajor === 11)(
  "a RetryError, which got 11 does not have, that a hook of the user's throws passes uncharged (#918)",
  async () => {
    const server = await serve(status(401), ok);
    const { client, policy } = fixture({ initial: 0 });
    const afterResponse = [
      (response: Response) => {
        if (response.statusCode === 401) throw new RetryError(response.request as never);
        return response;
      },
    ];
    expect(await client(server.url, { hooks: { afterResponse } })).toMatchObject({
      statusCode: 200,
    });
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 0 }]);
  },
);

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
  await client(server.url, { hooks: { afterResponse: [refreshing] } });
  expect(policy.snapshot()).toMatchObject([{ balance: 1, originals: 1 }]);
});
