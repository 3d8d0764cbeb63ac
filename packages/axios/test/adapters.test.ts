import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { type FlakyServer, serve } from "@retry-budget/testkit";
import axios, { AxiosError } from "axios";
import { describe, expect, test } from "vitest";
import { bare, errorOf, fixture, ok, unavailable } from "./attached.js";

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
