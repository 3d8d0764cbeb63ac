import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { refusalOf } from "@retry-budget/core";
import { hang, refusingUrl, reset, serve, status, truncate } from "@retry-budget/testkit";
import { AxiosError, type CreateAxiosDefaults } from "axios";
import { describe, expect, test } from "vitest";
import { bodies, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

describe("what is not sent again, next to axios-retry's and retry-axios' faults:", () => {
  test("a Node stream (axios #4306, #4307: an empty second body)", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const error = await errorOf(instance.put(server.url, Readable.from(["chunk"])));
    expect([error.response?.status, bodies(server)]).toEqual([503, ["chunk"]]);
    expect(refusalOf(error)).toMatchObject({ refusal: "body" });
  });

  test("a form of the form-data package, as putForm makes it (axios-retry #277, axios #6454: hangs)", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const error = await errorOf(instance.putForm(server.url, { a: "b" }));
    expect([error.response?.status, server.hits.length]).toEqual([503, 1]);
  });

  test.skipIf(axiosMinor < 7)(
    "a web stream through the fetch adapter: the 503 surfaces and no TypeError",
    async () => {
      const server = await serve(unavailable, ok);
      const { instance } = fixture({}, { adapter: "fetch" });
      const body = new Blob(["chunk"]).stream();
      const error = await errorOf(instance.put(server.url, body));
      expect([error.response?.status, server.hits.length]).toEqual([503, 1]);
    },
  );

  test("a POST whose connection is reset after it was read (axios-retry #17, #66: three times)", async () => {
    const server = await serve(reset(), ok);
    const { instance } = fixture();
    const error = await errorOf(instance.post(server.url, "pay"));
    expect([error.code, server.hits.length]).toEqual(["ECONNRESET", 1]);
  });

  test("a POST that times out, however axios spells it (axios-retry #8, #39, #47, #185)", async () => {
    for (const own of [
      {},
      { transitional: { clarifyTimeoutError: true } },
      { timeoutErrorMessage: "mine" },
    ]) {
      const server = await serve(ok, hang());
      const { instance } = fixture();
      // The connection is there when the clock begins to run.
      await instance.get(server.url);
      await errorOf(instance.post(server.url, "pay", { timeout: 100, ...own }));
      expect(server.hits).toHaveLength(2);
      await errorOf(instance.get(server.url, { timeout: 100, ...own }));
      expect(server.hits).toHaveLength(5);
    }
  });

  test("a PATCH, unless it is opted in (retry-axios #157)", async () => {
    const server = await serve(unavailable);
    const { instance } = fixture();
    await errorOf(instance.patch(server.url, "x"));
    expect(server.hits).toHaveLength(1);
    await errorOf(instance.patch(server.url, "x", { retryBudget: { idempotent: true } }));
    expect(server.hits).toHaveLength(4);
  });

  test("a bad protocol, a body or an answer that is too large, a redirect loop (axios-retry #170)", async () => {
    const loop = await serve((response) => response.writeHead(302, { location: "/" }).end());
    const large = await serve(status(200, {}, "x".repeat(1000)));
    const { instance, policy } = fixture();
    const failures = [
      await errorOf(instance.get("foo://a.example/")),
      await errorOf(instance.put(large.url, "x".repeat(100), { maxBodyLength: 10 })),
      await errorOf(instance.get(large.url, { maxContentLength: 10 })),
      await errorOf(instance.get(loop.url, { maxRedirects: 3 })),
    ];
    for (const error of failures) expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining("foo:"),
      expect.stringContaining("maxBodyLength"),
      expect.stringContaining("maxContentLength"),
      expect.stringContaining("redirects"),
    ]);
    expect(large.hits).toHaveLength(1);
    expect(loop.hits).toHaveLength(4);
    for (const { balance } of policy.snapshot()) expect(balance).toBe(10);
  });

  test("a POST that was redirected to a dead port: its first origin has answered", async () => {
    const dead = await refusingUrl();
    const server = await serve(status(307, { location: dead }));
    const { instance, policy } = fixture();
    const error = await errorOf(instance.post(server.url, "pay"));
    expect([error.code, server.hits.length]).toEqual(["ECONNREFUSED", 1]);
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(4);
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, balance: 8 }]);
  });

  test("a GET that breaks off is, and a POST is not (axios-retry: one attempt for both)", async () => {
    const server = await serve(truncate());
    const { instance } = fixture();
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(3);
    await errorOf(instance.post(server.url, "x"));
    expect(server.hits).toHaveLength(4);
  });

  test.skipIf(axiosMinor < 7)("a truncated answer through the fetch adapter is, too", async () => {
    const server = await serve(truncate(), ok);
    const { instance } = fixture({}, { adapter: "fetch" });
    expect(await instance.get(server.url)).toMatchObject({ status: 200 });
  });

  test("a stream that dies after its headers fails on the stream only", async () => {
    const server = await serve(truncate());
    const { instance } = fixture();
    const { data } = await instance.get(server.url, { responseType: "stream" });
    await expect(text(data)).rejects.toThrow();
    expect(server.hits).toHaveLength(1);
  });
});

const withFetch: [string, CreateAxiosDefaults][] =
  axiosMinor < 7
    ? []
    : [
        ["the fetch adapter", { adapter: "fetch" }],
        [
          "a fetch without Request",
          { adapter: "fetch", env: { fetch, Request: null, Response: null } } as never,
        ],
      ];

describe("a POST reaches its origin once", () => {
  test.each<[string, CreateAxiosDefaults]>([
    ...withFetch,
    [
      "an adapter of the user's that fetches",
      {
        adapter: async (config) => {
          const cause: unknown = await fetch(config.url ?? "", {
            method: "POST",
            body: String(config.data),
          }).catch((error: { cause: unknown }) => error.cause);
          throw AxiosError.from(cause as Error, "ERR_NETWORK", config);
        },
      },
    ],
  ])("when %s has followed a redirect to a dead port", async (_, defaults) => {
    const server = await serve(status(307, { location: await refusingUrl() }));
    const { instance } = fixture({}, defaults);
    const error = await errorOf(instance.post(server.url, "pay"));
    expect(refusalOf(error)).toMatchObject({ refusal: "method" });
    expect(server.hits).toHaveLength(1);
  });

  test.each([[false], [null], [""]])(
    "with an Idempotency-Key of %j, which axios does not send",
    async (key) => {
      const server = await serve(unavailable, ok);
      const { instance } = fixture();
      await errorOf(
        instance.post(server.url, "pay", { headers: { "Idempotency-Key": key } as never }),
      );
      expect(server.hits).toHaveLength(1);
    },
  );
});

describe("what never went out earns nothing", () => {
  test.each<[string, object]>([
    ["a body that is too large", { maxBodyLength: 1 }],
    ["a header that is none", { headers: { "x y": "1" } }],
    ["an unknown adapter", { adapter: "nonexistent" }],
  ])("%s", async (_, own) => {
    const server = await serve(ok);
    const { instance, policy } = fixture({ initial: 0, ratio: 1 });
    const error = await errorOf(instance.put(server.url, "xxxxxxxxxx", own));
    expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
    expect(server.hits).toHaveLength(0);
    expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 0 }]);
  });
});
