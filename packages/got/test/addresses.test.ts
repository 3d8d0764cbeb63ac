import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { constants } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusalOf } from "@retry-budget/core";
import {
  type Reply,
  resetStream,
  type SecureReply,
  serve,
  serveSecurely,
  status,
} from "@retry-budget/testkit";
import type { Response } from "got";
import { expect, onTestFinished, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

const answer =
  (code: number): SecureReply =>
  (response) => {
    response.writeHead(code).end(`answer ${code}`);
  };

type Paginate = (items: readonly number[], response: Response<string>) => unknown;

/** got 11 has a list of arguments in the place of the object. */
const onPage =
  (paginate: Paginate) =>
  (...args: unknown[]): never => {
    const [first, , items = []] = args as [unknown, unknown, number[] | undefined];
    const { response = first, currentItems = items } = first as Record<string, unknown>;
    return paginate(currentItems as number[], response as Response<string>) as never;
  };

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

test("got-27: each page of a pagination deposits, and a page that fails is retried", async () => {
  const page = (number: number): Reply => status(200, {}, JSON.stringify([number]));
  const server = await serve(page(1), unavailable, page(2), page(3));
  const { client, policy } = fixture();
  const items = await client.paginate.all<number, string>(server.url, {
    pagination: {
      transform: (response) => JSON.parse(response.body) as number[],
      paginate: onPage((items) => (items[0] === 3 ? false : {})),
    },
  });
  expect(items).toEqual([1, 2, 3]);
  expect(net(policy)).toEqual([{ originals: 3, retries: 1, balance: 9 }]);
});

// Bare got 11 does not settle with a Map for a cache.
test.skipIf(gotMajor === 11)("got-32: what the cache answers deposits nothing", async () => {
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

test.each([
  ["http://unix:/run/a.sock:/v1/info", "unix:/run/a.sock"],
  ["http://127.0.0.1:1/v1", "http://127.0.0.1:1"],
])("the budget of %s is called %s", async (url, origin) => {
  const { client, policy } = fixture();
  await errorOf(client(url, { enableUnixSockets: true, retry: { limit: 0 } }));
  expect(policy.snapshot()).toMatchObject([{ origin }]);
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

test.skipIf(gotMajor === 11)(
  "a hook that answers by itself, and a cached 404, earn nothing",
  async () => {
    const server = await serve(status(404, { "cache-control": "max-age=60" }));
    const { client, policy } = fixture({ initial: 0, ratio: 1 });
    const cache = new Map();
    for (let call = 0; call < 3; call++) await errorOf(client(server.url, { cache }));
    expect([server.hits.length, net(policy)]).toEqual([
      1,
      [{ originals: 1, retries: 0, balance: 1 }],
    ]);
  },
);

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
      paginate: onPage((items, { request }) => (items[0] === 2 ? false : request.options)),
    },
  });
  expect(items).toEqual([1, 2]);
  expect(net(policy)).toEqual([{ originals: 2, retries: 1, balance: 9 }]);
});

// got 12 to 14, bare as well, look for a host called "unix" when they retry.
test.skipIf(gotMajor > 11 && gotMajor < 15)(
  "over a unix socket the budget is the socket's, and a 503 is retried",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "retry-budget-"));
    const path = join(folder, "a.sock");
    const statuses = [503, 200];
    const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 500).end());
    server.listen(path);
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    });
    const { client, policy } = fixture();
    const options = gotMajor === 11 ? {} : { enableUnixSockets: true };
    expect(await client(`http://unix:${path}:/v1/info`, options)).toMatchObject({
      statusCode: 200,
    });
    expect(policy.snapshot()).toMatchObject([
      { origin: `unix:${path}`, originals: 1, retries: 1, balance: 9 },
    ]);
  },
);

test("over HTTP/2 a 503 is retried, and pays", async () => {
  const server = await serveSecurely(answer(503), answer(200));
  const { client, policy } = fixture();
  const https = { certificateAuthority: server.certificate };
  const response = await client(server.url, { http2: true, https });
  expect(response).toMatchObject({ statusCode: 200, body: "answer 200" });
  expect(server.hits.map(({ version }) => version)).toEqual(["2.0", "2.0"]);
  expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
});

test("over HTTP/2 a stream that breaks off is retried where got's lists hold its code, or those of the user", async () => {
  const server = await serveSecurely(resetStream(constants.NGHTTP2_INTERNAL_ERROR));
  const { client, policy } = fixture();
  const http2 = { http2: true, https: { certificateAuthority: server.certificate } };
  // From got 15 on it is a connection that was reset.
  const isListed = gotMajor >= 15;
  const code = isListed ? "ECONNRESET" : "ERR_HTTP2_STREAM_ERROR";
  const error = await errorOf(client(server.url, http2));
  expect(error).toMatchObject({ code });
  expect(refusalOf(error)).toMatchObject(
    isListed ? { refusal: "attempts", attempts: 3 } : { refusal: "permanent", attempts: 1 },
  );
  const own = await errorOf(client(server.url, { ...http2, retry: { errorCodes: [code] } }));
  expect(refusalOf(own)).toMatchObject({ refusal: "attempts", attempts: 3 });
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: isListed ? 4 : 2 }]);
});
