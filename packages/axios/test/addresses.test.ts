import { retryBudget } from "@retry-budget/axios";
import { serve } from "@retry-budget/testkit";
import { AxiosError } from "axios";
import { expect, test } from "vitest";
import { bare, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

test("a relative baseURL is not doubled (axios-retry #67, #73, nuxt axios-module #114)", async () => {
  const seen: unknown[] = [];
  const { instance } = fixture({}, { baseURL: "/api" });
  const error = await errorOf(
    instance.get("/items", {
      adapter: (config) => {
        seen.push([config.baseURL, config.url]);
        const response = { data: "", status: 503, statusText: "", headers: {}, config };
        return Promise.reject(new AxiosError("no", "ERR_BAD_RESPONSE", config, null, response));
      },
    }),
  );
  expect(seen).toEqual(Array(3).fill(["/api", "/items"]));
  expect([error.config?.baseURL, error.config?.url]).toEqual(["/api", "/items"]);
});

test.skipIf(axiosMinor < 7)(
  "a query, params and a serialiser give the same address on every attempt (axios-retry #280)",
  async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { baseURL: server.url });
    await instance.get("/api?foo=bar", {
      params: { list: [1, 2] },
      paramsSerializer: { serialize: ({ list }) => `list=${list.join(";")}` },
    });
    expect(server.hits.map(({ url }) => url)).toEqual(Array(2).fill("/api?foo=bar&list=1;2"));
  },
);

test("the second attempt of an instance has its baseURL, headers and interceptors (retry-axios #31, #124, #240, #241)", async () => {
  const server = await serve(unavailable, ok);
  const instance = bare({ baseURL: `${server.url}/v1`, headers: { "x-default": "1" } });
  let ran = 0;
  instance.interceptors.request.use(async (config) => {
    config.headers.set("x-interceptor", String(++ran));
    return config;
  });
  retryBudget(instance, { backoff: () => 1 });
  await instance.get("items", { headers: { "x-own": "1" } });
  const expected = { "x-default": "1", "x-interceptor": "1", "x-own": "1" };
  for (const { url, headers } of server.hits) {
    expect(url).toBe("/v1/items");
    expect(headers).toMatchObject(expected);
  }
  expect(server.hits).toHaveLength(2);
});
