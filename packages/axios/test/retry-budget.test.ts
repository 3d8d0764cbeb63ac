import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import {
  errorOf as anyErrorOf,
  type FlakyServer,
  hang,
  refusingUrl,
  reset,
  serve,
  status,
  truncate,
  until,
} from "@retry-budget/testkit";
import axios, { AxiosError, type AxiosInstance, type CreateAxiosDefaults } from "axios";
import { describe, expect, onTestFinished, test, vi } from "vitest";

function bare(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return axios.create({ httpAgent, proxy: false, ...defaults });
}

function fixture(options: RetryPolicyOptions = {}, defaults: CreateAxiosDefaults = {}) {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  const instance = bare(defaults);
  return { policy, instance, attachment: retryBudget(instance, policy) };
}

const unavailable = status(503);
const ok = status(200, { "content-type": "application/json" }, '{"fine":true}');
const errorOf = anyErrorOf<AxiosError>;
const bodies = ({ hits }: FlakyServer): string[] => hits.map(({ body }) => String(body));

describe("everything else about the client stays as it was:", () => {
  test("interceptors and transforms run once per call, before and after ours (axios-retry #246, #264)", async () => {
    const server = await serve(unavailable, unavailable, ok);
    const counts = { before: 0, after: 0, response: 0, request: 0, transformed: 0 };
    const instance = bare({
      transformRequest: (data: unknown) => {
        counts.request++;
        return data;
      },
      transformResponse: (data: string) => {
        counts.transformed++;
        return JSON.parse(data);
      },
    });
    instance.interceptors.request.use((config) => {
      counts.before++;
      return config;
    });
    retryBudget(instance, createRetryPolicy({ backoff: () => 1 }));
    instance.interceptors.request.use(async (config) => {
      counts.after++;
      return config;
    });
    instance.interceptors.response.use((response) => {
      counts.response++;
      return response;
    });
    const { data } = await instance.get(server.url);
    expect(data).toEqual({ fine: true });
    expect(server.hits).toHaveLength(3);
    expect(counts).toEqual({ before: 1, after: 1, response: 1, request: 1, transformed: 1 });
  });

  test("the final error is what bare axios gives: keys, toJSON, one config", async () => {
    const server = await serve(unavailable);
    const { instance } = fixture();
    const [ours, theirs] = [
      await errorOf(instance.get(server.url)),
      await errorOf(bare().get(server.url)),
    ];
    expect(Object.keys(ours)).toEqual(Object.keys(theirs));
    expect(Object.keys(ours.config ?? {}).sort()).toEqual(Object.keys(theirs.config ?? {}).sort());
    expect(ours).toMatchObject({ name: "AxiosError", code: theirs.code, message: theirs.message });
    expect(ours.config).toBe(ours.response?.config);
    expect(ours).toBeInstanceOf(AxiosError);
    const withoutStack = (error: AxiosError): object => ({
      ...error.toJSON(),
      stack: "",
      config: "",
    });
    expect(withoutStack(ours)).toEqual(withoutStack(theirs));
  });

  test("the final response is what bare axios gives", async () => {
    const server = await serve(unavailable, ok, ok);
    const { instance } = fixture();
    const [ours, theirs] = [await instance.get(server.url), await bare().get(server.url)];
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
    expect(Object.keys(ours.config).sort()).toEqual(Object.keys(theirs.config).sort());
    expect(ours.config.adapter).toEqual(theirs.config.adapter);
    expect(ours.config.transformRequest).toHaveLength(1);
    expect(ours.config.headers).toEqual(theirs.config.headers);
  });

  test("a failed config that is sent again has attempts of its own (axios-retry #59)", async () => {
    const server = await serve(unavailable);
    const { instance } = fixture();
    const { config } = await errorOf(instance.get(server.url));
    await errorOf(instance.request(config ?? {}));
    await errorOf(axios.request(config ?? {}));
    expect(server.hits).toHaveLength(3 + 3 + 1);
  });

  test("an object is serialised once, also by a transform of the user's (axios-retry #48)", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture(
      {},
      { transformRequest: [(data: unknown) => JSON.stringify({ w: data })] },
    );
    await instance.put(server.url, { a: 1 });
    expect(bodies(server)).toEqual(['{"w":{"a":1}}', '{"w":{"a":1}}']);
  });

  test("params and headers are the same on every attempt", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { baseURL: server.url, headers: { "x-a": "1" } });
    await instance.get("/api?foo=bar", { params: { k: [1, 2] } });
    const [first, second] = server.hits;
    expect(second?.url).toBe(first?.url);
    expect(second?.headers).toEqual(first?.headers);
    expect(second?.headers["x-a"]).toBe("1");
  });

  test.each<[string, object]>([
    ["null", { validateStatus: null }],
    ["true for all", { validateStatus: () => true }],
  ])(
    "validateStatus: %s keeps its meaning: a 503 is no failure and earns its deposit (axios-retry #193)",
    async (_, own) => {
      const server = await serve(unavailable);
      const { instance, policy } = fixture({ initial: 0, ratio: 1 });
      const response = await instance.get(server.url, own);
      expect([response.status, server.hits.length]).toEqual([503, 1]);
      expect(policy.snapshot()).toMatchObject([{ originals: 1, balance: 1 }]);
    },
  );

  test("classify may call a response transient that validateStatus has accepted", async () => {
    const server = await serve(status(202), ok);
    const { instance } = fixture({
      classify: ({ status: code }) => (code === 202 ? "transient" : undefined),
    });
    expect((await instance.get(server.url)).status).toBe(200);
  });

  test("errors of other interceptors pass through untouched", async () => {
    for (const thrown of [new Error("mine"), undefined, "text"]) {
      const { instance, policy } = fixture();
      instance.interceptors.request.use(() => {
        throw thrown;
      });
      expect(await errorOf(instance.get("http://127.0.0.1:1"))).toBe(thrown);
      expect(policy.snapshot()).toEqual([]);
    }
  });

  test("timeout is per attempt and stays on the config as it was", async () => {
    const server = await serve(hang());
    const { instance } = fixture();
    const error = await errorOf(instance.get(server.url, { timeout: 100 }));
    expect([server.hits.length, error.config?.timeout, error.code]).toEqual([
      3,
      100,
      "ECONNABORTED",
    ]);
  });

  test("a custom adapter is used, and is the one that the caller sees on the config", async () => {
    let calls = 0;
    const adapter: NonNullable<CreateAxiosDefaults["adapter"]> = async (config) => {
      calls++;
      const response = {
        data: "x",
        status: calls < 3 ? 503 : 200,
        statusText: "",
        headers: {},
        config,
      };
      if (calls < 3) throw new AxiosError("no", "ERR_BAD_RESPONSE", config, null, response);
      return response;
    };
    const { instance } = fixture({}, { adapter });
    const response = await instance.get("http://mocked.example/");
    expect([calls, response.config.adapter]).toEqual([3, adapter]);
  });

  test("an adapter that is set after ours is called for each attempt", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const own = bare();
    const adapter = vi.fn((config) => axios.getAdapter(own.defaults.adapter)(config));
    instance.defaults.adapter = adapter;
    await instance.get(server.url);
    expect(adapter).toHaveBeenCalledTimes(2);
  });
});

describe("with the static axios, an instance with getAdapter, and one without:", () => {
  const withGetAdapter = (
    server: FlakyServer,
    policy: ReturnType<typeof createRetryPolicy>,
  ): Promise<unknown> => {
    const instance = bare();
    retryBudget(instance, policy, { getAdapter: axios.getAdapter });
    return instance.get(server.url);
  };

  test("the outcome is the same", async () => {
    const policy = createRetryPolicy({ backoff: () => 1 });
    const server = await serve(unavailable, ok, unavailable, ok, unavailable, ok);
    expect(await withGetAdapter(server, policy)).toMatchObject({ status: 200 });
    const attachment = retryBudget(axios, policy);
    expect(await axios.get(server.url, { proxy: false })).toMatchObject({ status: 200 });
    attachment.detach();
    const instance = bare();
    retryBudget(instance, policy);
    expect(await instance.get(server.url)).toMatchObject({ status: 200 });
    expect(server.hits).toHaveLength(6);
  });

  test("concurrent requests through the detour keep their own configs", async () => {
    const server = await serve((response, request) => response.end(request.url));
    const { instance } = fixture();
    const paths = Array.from({ length: 50 }, (_, index) => `/p${index}`);
    const responses = await Promise.all(paths.map((path) => instance.get(server.url + path)));
    expect(responses.map(({ data }) => data)).toEqual(paths);
    expect(responses.map(({ config }) => config.url)).toEqual(
      paths.map((path) => server.url + path),
    );
  });
});

describe("what is sent again:", () => {
  test.each<[string, unknown]>([
    ["a string", "text"],
    ["a Buffer", Buffer.from("text")],
    ["URLSearchParams", new URLSearchParams({ a: "b" })],
    ["a Blob", new Blob(["text"])],
    ["an object", { a: 1 }],
  ])("%s, byte for byte", async (_, body) => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    await instance.put(server.url, body);
    const [first, second] = bodies(server);
    expect(first).not.toBe("");
    expect(second).toBe(first);
  });

  // axios 1.21 draws a new boundary for each attempt: its own pattern for one overlooks the dots.
  test("native FormData, with the fields in full and the boundary that its header names", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const form = new FormData();
    form.set("field", "value");
    await instance.put(server.url, form);
    const plain = server.hits.map(({ headers, body }) => {
      const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "none";
      return String(body).replaceAll(boundary, "BOUNDARY");
    });
    expect(plain[0]).toMatch(/^--BOUNDARY\r\n.*name="field"\r\n\r\nvalue\r\n--BOUNDARY--\r\n/s);
    expect(plain[1]).toBe(plain[0]);
  });
});

describe("what is not sent again, next to axios-retry's and retry-axios' faults:", () => {
  test("a Node stream (axios #4306: an empty second body)", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const error = await errorOf(instance.put(server.url, Readable.from(["chunk"])));
    expect([error.response?.status, bodies(server)]).toEqual([503, ["chunk"]]);
    expect(refusalOf(error)).toMatchObject({ refusal: "body" });
  });

  test("a form of the form-data package, as putForm makes it (axios-retry #277: hangs)", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const error = await errorOf(instance.putForm(server.url, { a: "b" }));
    expect([error.response?.status, server.hits.length]).toEqual([503, 1]);
  });

  test("a web stream through the fetch adapter: the 503 surfaces and no TypeError", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { adapter: "fetch" });
    const body = new Blob(["chunk"]).stream();
    const error = await errorOf(instance.put(server.url, body));
    expect([error.response?.status, server.hits.length]).toEqual([503, 1]);
  });

  test("a POST whose connection is reset after it was read (axios-retry #66: three times)", async () => {
    const server = await serve(reset(), ok);
    const { instance } = fixture();
    const error = await errorOf(instance.post(server.url, "pay"));
    expect([error.code, server.hits.length]).toEqual(["ECONNRESET", 1]);
  });

  test("a POST that times out, however axios spells it", async () => {
    for (const own of [
      {},
      { transitional: { clarifyTimeoutError: true } },
      { timeoutErrorMessage: "mine" },
    ]) {
      const server = await serve(hang());
      const { instance } = fixture();
      await errorOf(instance.post(server.url, "pay", { timeout: 100, ...own }));
      expect(server.hits).toHaveLength(1);
      await errorOf(instance.get(server.url, { timeout: 100, ...own }));
      expect(server.hits).toHaveLength(4);
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

  test("a truncated answer through the fetch adapter is, too", async () => {
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

test("an unread 5 MB stream of a failed attempt is let go: no deadlock with maxSockets: 1", async () => {
  const server = await serve(status(503, {}, "x".repeat(5_000_000)), ok);
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance } = fixture({}, { httpAgent });
  const { data } = await instance.get(server.url, { responseType: "stream" });
  expect(await text(data)).toBe('{"fine":true}');
});

test("an upload that was answered before its end is let go: no deadlock with maxSockets: 1", async () => {
  let requests = 0;
  const server = createServer(async (request, response) => {
    // Nothing is read of the first one before it is answered.
    if (++requests === 1) response.writeHead(503).end("busy");
    const { length } = await buffer(request).catch(() => "");
    if (!response.writableEnded) response.end(`stored ${length}`);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  await once(server, "listening");
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance, policy } = fixture({}, { httpAgent, maxRedirects: 0 });
  const { port } = server.address() as AddressInfo;
  const upload = new Blob(["x".repeat(5_000_000)]);
  const { status, data } = await instance.put(`http://127.0.0.1:${port}/`, upload);
  expect([requests, status, data]).toEqual([2, 200, "stored 5000000"]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
});

test("the last failure's stream is the caller's, unread", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture();
  const error = await errorOf(instance.get(server.url, { responseType: "stream" }));
  expect(await text(error.response?.data as Readable)).toBe("answer 503");
});

describe("cancelling", () => {
  const inBackoff = async (policy: ReturnType<typeof createRetryPolicy>): Promise<void> => {
    await until(() => policy.snapshot()[0]?.balance === 9);
  };

  test("with a CancelToken in the backoff rejects at once with the token's own reason", async () => {
    const server = await serve(unavailable);
    const { instance, policy } = fixture({ backoff: () => 10_000 });
    const source = axios.CancelToken.source();
    const error = errorOf(instance.get(server.url, { cancelToken: source.token }));
    await inBackoff(policy);
    source.cancel("enough");
    expect(await error).toBe(source.token.reason);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { aborted: 1 } }]);
    expect(server.hits).toHaveLength(1);
  });

  test.each(["http", "fetch"])(
    "with a signal in the backoff gives what bare axios gives, %s adapter",
    async (adapter) => {
      const server = await serve(unavailable, hang());
      const { instance, policy } = fixture({ backoff: () => 10_000 }, { adapter });
      const ours = new AbortController();
      const error = errorOf(instance.get(server.url, { signal: ours.signal }));
      await inBackoff(policy);
      ours.abort(new Error("mine"));
      const theirs = new AbortController();
      const bareError = errorOf(bare({ adapter }).get(server.url, { signal: theirs.signal }));
      await server.received(2);
      theirs.abort(new Error("mine"));
      const { name, code } = await bareError;
      expect(await error).toMatchObject({ name, code, config: { url: server.url } });
      expect(axios.isCancel(await error)).toBe(true);
    },
  );

  test("by AbortSignal.timeout is the caller's own deadline, never retried", async () => {
    const server = await serve(hang());
    const { instance } = fixture();
    const error = await errorOf(instance.get(server.url, { signal: AbortSignal.timeout(100) }));
    expect([error.code, server.hits.length]).toEqual(["ERR_CANCELED", 1]);
  });

  test("leaves no listener on a signal that many requests share", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await instance.get(server.url, { signal });
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });

  test("works with a signal that has no listeners, as React Native's", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { adapter: "http" });
    const signal = { aborted: false, addEventListener: undefined, removeEventListener: undefined };
    const adapter = (config: object) =>
      axios.getAdapter("http")({ ...config, signal: undefined } as never);
    expect(await instance.get(server.url, { signal: signal as never, adapter })).toMatchObject({
      status: 200,
    });
  });
});

describe("attaching", () => {
  test("twice doubles nothing", async () => {
    const server = await serve(unavailable);
    const { instance, policy } = fixture();
    retryBudget(instance, policy);
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(3);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  });

  test("gives detach(), after which the instance is bare again", async () => {
    const server = await serve(unavailable);
    const { instance, attachment } = fixture();
    const running = errorOf(instance.get(server.url));
    attachment.detach();
    await running;
    expect(server.hits).toHaveLength(3);
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(4);
  });

  test.each([["a string"], [null], [undefined], [{}], [{ interceptors: {} }], [() => undefined]])(
    "to %s is a TypeError at set-up",
    (instance) => {
      expect(() => retryBudget(instance as never)).toThrow(TypeError);
      expect(() => retryBudget(instance as never)).toThrow(
        "Expected `instance` to be axios or an instance",
      );
    },
  );

  test("with bad options or a bad getAdapter is a TypeError at set-up, and attaches nothing", async () => {
    const server = await serve(unavailable);
    const instance = bare();
    expect(() => retryBudget(instance, { ratio: -1 })).toThrow("`ratio`");
    expect(() => retryBudget(instance, {}, { getAdapter: "http" })).toThrow(
      "`settings.getAdapter`",
    );
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(1);
  });
});

test("onRetry may change the headers of the retry (axios-retry #162)", async () => {
  const server = await serve(unavailable, unavailable, ok);
  const { instance } = fixture({
    onRetry: async ({ attempt, headers }) => {
      (headers as { set(name: string, value: string): void }).set(
        "authorization",
        `Bearer ${attempt}`,
      );
    },
  });
  await instance.get(server.url, { headers: { authorization: "Bearer 1" } });
  expect(server.hits.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer 1",
    "Bearer 2",
    "Bearer 3",
  ]);
});

test.each([
  [{ baseURL: "http://A.example:80/api", url: "/x" }, "http://a.example"],
  [{ baseURL: "http://a.example", url: "https://b.example/x" }, "https://b.example"],
  [
    { baseURL: "http://a.example", url: "https://b.example/x", allowAbsoluteUrls: false },
    "http://a.example",
  ],
  [{ baseURL: "http://a.example", url: "//c.example/x" }, "unknown"],
  [{ url: "/relative" }, "unknown"],
  [{ url: "http://u:p@a.example/x?y" }, "http://a.example"],
  [{ url: "http://a.example", socketPath: "/run/a.sock" }, "unix:/run/a.sock"],
])("the budget of %o is called %s", async (config, origin) => {
  const { instance, policy } = fixture();
  await instance.request({
    ...config,
    adapter: async (own) => ({ data: "", status: 200, statusText: "", headers: {}, config: own }),
  });
  expect(policy.snapshot()).toMatchObject([{ origin, originals: 1 }]);
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget(bare(), {}, settings as never)).toThrow(TypeError);
  },
);

describe("a POST reaches its origin once", () => {
  test.each<[string, CreateAxiosDefaults]>([
    ["the fetch adapter", { adapter: "fetch" }],
    [
      "a fetch without Request",
      { adapter: "fetch", env: { fetch, Request: null, Response: null } } as never,
    ],
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

test("a plugin that hooks create() changes no request (its interceptors are not the instance's)", async () => {
  const server = await serve(unavailable, ok);
  const instance = bare({ baseURL: server.url });
  const { create } = instance;
  let ran = 0;
  instance.create = (...args) => {
    const created = create(...args);
    created.interceptors.request.use(async (config) => {
      ran++;
      return config;
    });
    return created;
  };
  retryBudget(instance, { backoff: () => 1 });
  await instance.put("/orders/7", { a: 1 });
  expect(server.hits.map(({ method, url, body }) => [method, url, String(body)])).toEqual([
    ["PUT", "/orders/7", '{"a":1}'],
    ["PUT", "/orders/7", '{"a":1}'],
  ]);
  expect(ran).toBe(0);
});

test("an unread stream is let go of also under maxContentLength: no deadlock with maxSockets: 1", async () => {
  const server = await serve(status(503, {}, "x".repeat(5_000_000)), ok);
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance } = fixture({}, { httpAgent, maxContentLength: 1e8 });
  const { data } = await instance.get(server.url, { responseType: "stream" });
  expect(await text(data)).toBe('{"fine":true}');
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

describe("whatever an adapter gives is the caller's, untouched:", () => {
  const thrower = {
    isAxiosError: true,
    get code(): never {
      throw new Error("no code");
    },
  };

  test.each<[string, unknown]>([
    ["an error without a response", { isAxiosError: true, code: "ERR_X", response: null }],
    ["an error without a message", { code: "ERR_BAD_RESPONSE", message: null }],
    ["an error whose getters throw", thrower],
    ["a frozen error", Object.freeze(Object.assign(new Error("x"), { config: Object.freeze({}) }))],
    ["a text", "text"],
    ["nothing", undefined],
  ])("%s", async (_, thrown) => {
    for (const adapter of [() => Promise.reject(thrown), [() => Promise.reject(thrown)]]) {
      const { instance } = fixture();
      const error: unknown = await instance.get("http://a.example/", { adapter }).then(
        () => "resolved",
        (e: unknown) => e,
      );
      expect(error).toBe(thrown);
    }
  });

  test.each([[null], [false], [""], [undefined]])(
    "an adapter of %j means axios' default",
    async (adapter) => {
      for (const settings of [{}, { getAdapter: axios.getAdapter }]) {
        const server = await serve(unavailable, ok);
        const instance = bare();
        retryBudget(instance, { backoff: () => 1 }, settings);
        const own = { adapter } as never;
        expect(await instance.get(server.url, own)).toMatchObject({ status: 200 });
      }
    },
  );

  test("headers with capitals are heard", async () => {
    const answers = [{ "X-Should-Retry": "false" }, { "Retry-After": "3600" }];
    for (const headers of answers) {
      const { instance } = fixture();
      const error = await errorOf(
        instance.get("http://a.example/", {
          adapter: (config) => {
            const response = { data: "", status: 503, statusText: "", headers, config };
            return Promise.reject(new AxiosError("no", "ERR_BAD_RESPONSE", config, null, response));
          },
        }),
      );
      expect(refusalOf(error)?.refusal).toMatch(/server|retry-after/);
    }
  });
});

test("a config that an interceptor has frozen is sent all the same", async () => {
  const server = await serve(unavailable, ok);
  const { instance } = fixture();
  instance.interceptors.request.use((config) => Object.freeze(config));
  expect(await instance.get(server.url)).toMatchObject({ status: 200 });
});

test("a request that was ended before its adapter was called holds nothing of ours", async () => {
  const { instance } = fixture();
  const error = await errorOf(instance.get("http://a.example/", { signal: AbortSignal.abort() }));
  expect(error.config?.adapter).toEqual(["xhr", "http", "fetch"]);
});

test("a reason of the caller's for a cancel is not changed", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ backoff: () => 10_000 });
  const source = axios.CancelToken.source();
  const error = errorOf(instance.get(server.url, { cancelToken: source.token }));
  await until(() => policy.snapshot()[0]?.balance === 9);
  const mine = { headers: {}, mine: true };
  (source.cancel as (message: string, config: object) => void)("enough", mine);
  expect((await error).config).toBe(mine);
});

test("a signal that cannot be listened to, and fires in the wait, is seen before the retry", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ backoff: () => 50 });
  // A class, since axios copies plain objects.
  class DeafSignal {
    aborted = false;
    addEventListener(): void {}
    removeEventListener(): void {}
  }
  const signal = new DeafSignal();
  const error = errorOf(instance.get(server.url, { signal: signal as never }));
  await until(() => policy.snapshot()[0]?.balance === 9);
  signal.aborted = true;
  expect(axios.isCancel(await error)).toBe(true);
  expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
});

test("getAdapter that is an adapter is a TypeError at set-up", () => {
  const getAdapter = axios.getAdapter("http");
  expect(() => retryBudget(bare(), {}, { getAdapter })).toThrow("`settings.getAdapter`");
});

test("a status that validateStatus accepts is no refusal, and earns nothing on success", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  const response = await instance.get(server.url, { validateStatus: null });
  expect(refusalOf(response)).toBeUndefined();
  expect(policy.snapshot()).toMatchObject([{ refusals: {}, balance: 0, originals: 1 }]);
});
