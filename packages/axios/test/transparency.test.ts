import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { hang, serve, status } from "@retry-budget/testkit";
import axios, { AxiosError, type CreateAxiosDefaults } from "axios";
import { describe, expect, test, vi } from "vitest";
import { bare, bodies, errorOf, fixture, httpAdapter, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

describe("everything else about the client stays as it was:", () => {
  test("interceptors and transforms run once per call, before and after ours (axios-retry #158, #246, #260, #264)", async () => {
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

  test("they run once, too, when every attempt fails (axios-retry #158)", async () => {
    const server = await serve(unavailable);
    const log: string[] = [];
    const fail = (name: string) => (error: unknown) => {
      log.push(name);
      return Promise.reject(error);
    };
    const instance = bare();
    instance.interceptors.response.use(undefined, fail("before"));
    retryBudget(instance, createRetryPolicy({ backoff: () => 1 }));
    instance.interceptors.response.use(undefined, fail("after"));
    await errorOf(instance.get(server.url));
    expect([server.hits.length, log]).toEqual([3, ["before", "after"]]);
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

  test.skipIf(axiosMinor < 7)(
    "a failed config that is sent again has attempts of its own (axios-retry #59)",
    async () => {
      const server = await serve(unavailable);
      const { instance } = fixture();
      const { config } = await errorOf(instance.get(server.url));
      await errorOf(instance.request(config ?? {}));
      await errorOf(axios.request(config ?? {}));
      expect(server.hits).toHaveLength(3 + 3 + 1);
    },
  );

  test("an object is serialised once, also by a transform of the user's (axios-retry #48, #49, axios #875, #934, sentinelhub-js #295)", async () => {
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
    "validateStatus: %s keeps its meaning: a 503 is no failure and earns its deposit (axios-retry #100, #117, #193, #209, retry-axios #41)",
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

  test("errors of other interceptors pass through untouched (retry-axios #32, #49, #95)", async () => {
    for (const thrown of [new Error("mine"), undefined, "text"]) {
      const { instance, policy } = fixture();
      instance.interceptors.request.use(() => {
        throw thrown;
      });
      expect(await errorOf(instance.get("http://127.0.0.1:1"))).toBe(thrown);
      expect(policy.snapshot()).toEqual([]);
    }
  });

  test("timeout is per attempt and stays on the config as it was (axios-retry #84, #97)", async () => {
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
    const adapter = vi.fn(httpAdapter);
    instance.defaults.adapter = adapter;
    await instance.get(server.url);
    expect(adapter).toHaveBeenCalledTimes(2);
  });
});

test("a config that an interceptor has frozen is sent all the same", async () => {
  const server = await serve(unavailable, ok);
  const { instance } = fixture();
  instance.interceptors.request.use((config) => Object.freeze(config));
  expect(await instance.get(server.url)).toMatchObject({ status: 200 });
});

test.skipIf(axiosMinor < 7)(
  "a request that was ended before its adapter was called holds nothing of ours",
  async () => {
    const { instance } = fixture();
    const error = await errorOf(instance.get("http://a.example/", { signal: AbortSignal.abort() }));
    expect(error.config?.adapter).toEqual(["xhr", "http", "fetch"]);
  },
);

test("a status that validateStatus accepts is no refusal, and earns nothing on success", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  const response = await instance.get(server.url, { validateStatus: null });
  expect(refusalOf(response)).toBeUndefined();
  expect(policy.snapshot()).toMatchObject([{ refusals: {}, balance: 0, originals: 1 }]);
});
