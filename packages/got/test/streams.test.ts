import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { serve, truncate } from "@retry-budget/testkit";
import { HTTPError } from "got";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";
import { failsOfTruncated, gotMajor } from "./got-version.js";
import { finish, readWithRetries } from "./streams.js";

failOnStrayErrors();

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

test.skipIf(gotMajor === 11)(
  "got-23: with createRetryStream, which got 11 lacks, they are three hits, one deposit, two tokens (#2226)",
  async () => {
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
  },
);

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

const earning = { depositOn: "success", initial: 1, ratio: 1, capacity: 5 } as const;

test.skipIf(gotMajor === 11 || failsOfTruncated)(
  "a stream whose body breaks off is retried, and earns nothing until it has ended",
  async () => {
    const server = await serve(truncate(), ok);
    const { client, policy } = fixture(earning);
    expect(await readWithRetries(client, server.url)).toBe("answer 200");
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  },
);

test.runIf(failsOfTruncated)(
  "a stream whose body breaks off is not in the lists of got 15 and later: it fails as with bare got, and earns nothing",
  async () => {
    const server = await serve(truncate(), ok);
    const { client, policy } = fixture(earning);
    expect(await errorOf(readWithRetries(client, server.url))).toMatchObject({
      code: "ERR_HTTP_CONTENT_LENGTH_MISMATCH",
    });
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 1 }],
    ]);
  },
);

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
