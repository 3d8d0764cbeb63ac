import { constants } from "node:http2";
import { createRetryPolicy, type RetryPolicy, refusalOf } from "@retry-budget/core";
import {
  errorOf,
  resetStream,
  type SecureReply,
  type SecureServer,
  serveSecurely,
} from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, fetch as npmFetch, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeMajor, undiciMajor } from "./undici-major.js";

const answer =
  (code: number, headers: Record<string, string | string[]> = {}): SecureReply =>
  (response) => {
    response.writeHead(code, headers).end(`answer ${code}`);
  };
const unavailable = answer(503);
const ok = answer(200);
const hang: SecureReply = () => undefined;
const refuse = resetStream(constants.NGHTTP2_REFUSED_STREAM);
/** Ends the session after it has taken the request, which may have been acted on. */
const goAway =
  (code: number): SecureReply =>
  ({ stream }) => {
    stream.session?.goaway(code);
    stream.session?.destroy();
  };

interface Fixture {
  readonly server: SecureServer;
  readonly policy: RetryPolicy;
  readonly dispatcher: Dispatcher;
}

async function secureFixture(
  replies: SecureReply[],
  options: Agent.Options = {},
): Promise<Fixture> {
  const server = await serveSecurely(...replies);
  const policy = createRetryPolicy({ backoff: () => 1 });
  const agent = new Agent({ allowH2: true, connect: { ca: server.certificate }, ...options });
  onTestFinished(() => agent.destroy());
  return { server, policy, dispatcher: agent.compose(retryBudget(policy)) };
}

test.each([
  ["HTTP/2", true, "2.0"],
  ["HTTP/1.1", false, "1.1"],
])("over TLS and %s a 503 is retried on the same connection", async (_, allowH2, version) => {
  const { server, dispatcher, policy } = await secureFixture([unavailable, ok], { allowH2 });
  const { statusCode, body } = await request(server.url, { dispatcher });
  expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
  expect(server.hits.map((hit) => hit.version)).toEqual([version, version]);
  expect(server.connections).toBe(1);
  expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
});

test("a certificate that is not trusted is permanent: nothing was sent, no token is spent", async () => {
  const { server, dispatcher, policy } = await secureFixture([ok], { connect: {} });
  const error = await errorOf(request(server.url, { dispatcher }));
  expect(error).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
  expect(policy.snapshot()).toMatchObject([{ originals: 0, retries: 0, balance: 10 }]);
});

describe("over HTTP/2", () => {
  test("a PUT is sent again with its body", async () => {
    const { server, dispatcher } = await secureFixture([unavailable, ok]);
    const options = { dispatcher, method: "PUT", body: "whole" } as const;
    const { statusCode, body } = await request(server.url, options);
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(server.hits.map((hit) => hit.body)).toEqual(["whole", "whole"]);
  });

  const cookies = answer(200, { "set-cookie": ["a=1", "b=2"] });

  test("two cookies stay two", async () => {
    const { server, dispatcher } = await secureFixture([unavailable, cookies]);
    const { headers, body } = await request(server.url, { dispatcher });
    await body.dump();
    expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(server.hits.map((hit) => hit.version)).toEqual(["2.0", "2.0"]);
  });

  // For a fetch that speaks the old handler API alone, undici 8 is told to use HTTP/1.1.
  const isOld = undiciMajor === 8 && nodeMajor < 26;

  test.each([
    ["the fetch of npm", npmFetch as unknown as typeof fetch, "2.0"],
    ["the built-in fetch", fetch, isOld ? "1.1" : "2.0"],
  ])(
    "a PUT is replayed, and two cookies stay two, for %s (undici #4989)",
    async (_, anyFetch, version) => {
      const { server, dispatcher } = await secureFixture([unavailable, cookies]);
      const init = { dispatcher, method: "PUT", body: "whole" } as object;
      const response = await anyFetch(server.url, init);
      expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
      expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
      const hit = { version, method: "PUT", body: "whole" };
      expect(server.hits).toEqual([hit, hit]);
    },
  );

  test.skipIf(undiciMajor < 8)(
    "trailers of the second attempt are delivered (undici 8: no other hands them over)",
    async () => {
      const withTrailers: SecureReply = (response) => {
        response.writeHead(200, { trailer: "x-sum" });
        response.write("body");
        response.addTrailers({ "x-sum": "42" });
        response.end();
      };
      const { server, dispatcher } = await secureFixture([unavailable, withTrailers]);
      const { body, trailers } = await request(server.url, { dispatcher });
      expect([await body.text(), trailers]).toEqual(["body", { "x-sum": "42" }]);
      expect(server.hits).toHaveLength(2);
    },
  );
});

describe("an HTTP/2 stream that is reset", () => {
  const post = { method: "POST", body: "pay" } as const;

  test("as refused was not processed: a POST is sent again (undici PR #5598)", async () => {
    const { server, dispatcher, policy } = await secureFixture([refuse, ok]);
    const { statusCode, body } = await request(server.url, { dispatcher, ...post });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(server.hits.map((hit) => hit.body)).toEqual(["pay", "pay"]);
    // undici 8 sends it once more by itself, before anybody is told.
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: undiciMajor === 8 ? 0 : 1 }]);
  });

  test("as refused each time: three attempts, each of which undici 8 sends twice (undici PR #5598)", async () => {
    const { server, dispatcher, policy } = await secureFixture([refuse]);
    const error = await errorOf(request(server.url, { dispatcher, ...post }));
    expect(error).toMatchObject({ code: "ERR_HTTP2_STREAM_ERROR" });
    expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
    expect(server.hits).toHaveLength(undiciMajor === 8 ? 6 : 3);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2, balance: 8 }]);
  });

  test("by an internal error may have been acted on: GET is retried, POST is not", async () => {
    const { server, dispatcher } = await secureFixture([
      resetStream(constants.NGHTTP2_INTERNAL_ERROR),
      ok,
      resetStream(constants.NGHTTP2_INTERNAL_ERROR),
      ok,
    ]);
    const { statusCode, body } = await request(server.url, { dispatcher });
    await body.dump();
    expect([statusCode, server.hits.length]).toEqual([200, 2]);
    const error = await errorOf(request(server.url, { dispatcher, ...post }));
    expect(error).toMatchObject({ code: "ERR_HTTP2_STREAM_ERROR" });
    expect(refusalOf(error)).toMatchObject({ refusal: "method", attempts: 1 });
    expect(server.hits).toHaveLength(3);
  });

  test("by a protocol error is permanent", async () => {
    const reset = resetStream(constants.NGHTTP2_PROTOCOL_ERROR);
    const { server, dispatcher, policy } = await secureFixture([reset, ok]);
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(refusalOf(error)).toMatchObject({ refusal: "permanent", attempts: 1 });
    expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
  });
});

describe.skipIf(undiciMajor === 6)(
  "an HTTP/2 server that never answers (undici 7 and 8: 6 has no timeout there)",
  () => {
    test("costs a GET three attempts, and then rejects (undici #5087, #5137)", async () => {
      const { server, dispatcher, policy } = await secureFixture([hang]);
      const error = await errorOf(request(server.url, { dispatcher, headersTimeout: 100 }));
      expect(error).toMatchObject({
        code: expect.stringMatching(/^UND_ERR_(HEADERS_TIMEOUT|INFO)$/),
      });
      expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
      expect(server.hits).toHaveLength(3);
      expect(policy.snapshot()).toMatchObject([{ retries: 2, balance: 8 }]);
    });

    test("gets a POST once (undici #5087, #5137)", async () => {
      const { server, dispatcher } = await secureFixture([hang]);
      const options = { dispatcher, headersTimeout: 100, method: "POST", body: "pay" } as const;
      const error = await errorOf(request(server.url, options));
      expect(refusalOf(error)).toMatchObject({ refusal: "method", attempts: 1 });
      expect(server.hits).toHaveLength(1);
    });
  },
);

describe("a GOAWAY for a request that may have been acted on", () => {
  test.each([
    ["without an error", constants.NGHTTP2_NO_ERROR],
    ["for an internal error", constants.NGHTTP2_INTERNAL_ERROR],
  ])("%s sends a GET to a new connection, and fails a POST", async (_, code) => {
    const { server, dispatcher } = await secureFixture([goAway(code), ok, goAway(code), ok]);
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect([server.hits.length, server.connections]).toEqual([2, 2]);
    const options = { dispatcher, method: "POST", body: "pay" } as const;
    expect(refusalOf(await errorOf(request(server.url, options)))).toMatchObject({
      refusal: "method",
      attempts: 1,
    });
    expect(server.hits).toHaveLength(3);
  });
});

test("a GOAWAY that leaves a POST out: undici 8 sends it again by itself, the others fail it once", async () => {
  const goAwayBefore: SecureReply = ({ stream }) => stream.session?.goaway(0, 1);
  const { server, dispatcher, policy } = await secureFixture([ok, goAwayBefore, ok]);
  await (await request(server.url, { dispatcher })).body.dump();
  const options = { dispatcher, method: "POST", body: "pay" } as const;
  const code = await request(server.url, options).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode;
    },
    (error) => error.code,
  );
  const [expected, hits] = undiciMajor === 8 ? [200, 3] : ["UND_ERR_SOCKET", 2];
  expect([code, server.hits.length]).toEqual([expected, hits]);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 0, balance: 10 }]);
});
