import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { serve, status } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { bare, bodies, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

test("an interceptor sees the type of the caller's data, once per call (axios-retry #295)", async () => {
  const server = await serve(unavailable, unavailable, ok);
  const { instance } = fixture();
  const types: string[] = [];
  instance.interceptors.request.use((config) => {
    types.push(typeof config.data);
    return config;
  });
  await instance.put(server.url, { a: 1 });
  expect(types).toEqual(["object"]);
});

test("an interceptor that strips what it does not know from the config lifts no cap (axios-retry #59, #80, #83, #85, #89, #94, retry-axios #62, #90, axios #2676)", async () => {
  const server = await serve(unavailable);
  const instance = bare();
  instance.interceptors.request.use(({ url, method, headers, adapter, validateStatus }) => {
    return { url, method, headers, adapter, validateStatus } as never;
  });
  retryBudget(instance, createRetryPolicy({ backoff: () => 0 }));
  await errorOf(instance.get(server.url));
  expect(server.hits).toHaveLength(3);
});

test("many calls that share one config object have attempts of their own", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ capacity: 100 });
  const config = { method: "put", url: server.url, data: { a: 1 }, headers: { "x-a": "1" } };
  const copy = structuredClone(config);
  const errors = await Promise.all(
    Array.from({ length: 5 }, () => errorOf(instance.request(config))),
  );
  expect(config).toEqual(copy);
  expect(errors.map((error) => refusalOf(error)?.attempts)).toEqual(Array(5).fill(3));
  expect(server.hits).toHaveLength(15);
  expect(policy.snapshot()).toMatchObject([{ originals: 5, retries: 10 }]);
});

test.skipIf(axiosMinor < 7)(
  "after a 503 and a 401 the config is sent again with a fresh token and other data (axios #6597, #5361, axios-retry #56)",
  async () => {
    const server = await serve(unavailable, status(401), ok);
    const { instance } = fixture();
    instance.interceptors.response.use(undefined, (error) => {
      if (error.response?.status !== 401) return Promise.reject(error);
      error.config.headers.set("authorization", "Bearer fresh");
      error.config.data = { a: "longer than before" };
      error.config.headers.delete("content-length");
      return instance.request(error.config);
    });
    const { data } = await instance.put(server.url, { a: 1 });
    expect(data).toEqual({ fine: true });
    expect(bodies(server)).toEqual(['{"a":1}', '{"a":1}', '{"a":"longer than before"}']);
    expect(server.hits[2]?.headers.authorization).toBe("Bearer fresh");
  },
);

test("an error after three attempts is no larger as JSON than after one (retry-axios #347)", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture();
  const sizeAfter = async (maxAttempts: number): Promise<number> => {
    const error = await errorOf(instance.get(server.url, { retryBudget: { maxAttempts } }));
    return JSON.stringify({ ...error.toJSON(), stack: "" }).length;
  };
  expect(await sizeAfter(3)).toBe(await sizeAfter(1));
});

test("of two failures of different kinds the caller gets the last", async () => {
  const server = await serve(unavailable, status(502));
  const { instance } = fixture({ maxAttempts: 2 });
  expect((await errorOf(instance.get(server.url))).response?.status).toBe(502);
});

test("every option may be given as undefined, and means the default", async () => {
  const server = await serve(unavailable);
  const names = [
    "ratio",
    "capacity",
    "initial",
    "trickle",
    "depositOn",
    "maxAttempts",
    "maxRetryAfter",
    "deadline",
    "methods",
    "statuses",
    "idempotencyKey",
    "classify",
    "onRetry",
    "maxOrigins",
    "origins",
    "budgets",
    "clock",
    "random",
  ];
  const instance = bare();
  retryBudget(
    instance,
    {
      ...Object.fromEntries(names.map((name) => [name, undefined])),
      backoff: () => 0,
    },
    { getAdapter: undefined },
  );
  const own = {
    idempotent: undefined,
    maxAttempts: undefined,
    deadline: undefined,
    key: undefined,
    body: undefined,
  };
  await errorOf(instance.get(server.url, { retryBudget: own }));
  expect(server.hits).toHaveLength(3);
});

test("20 failing requests with 2 tokens at the start and a ratio of 0.1 are 24 hits, exactly", async () => {
  const server = await serve(unavailable);
  const { instance, policy } = fixture({ initial: 2, ratio: 0.1 });
  for (let request = 0; request < 20; request++) await errorOf(instance.get(server.url));
  // 2 + 20 × 0.1 tokens.
  expect(server.hits).toHaveLength(24);
  expect(policy.snapshot()).toMatchObject([{ originals: 20, retries: 4, balance: 0 }]);
});

test.each([
  ["with tokens, the cap ends it", { capacity: 100 }, 3],
  ["without tokens, the budget does", { initial: 0 }, 1],
  [
    "without a cap, the budget does (axios-retry #38)",
    { maxAttempts: Number.POSITIVE_INFINITY, initial: 5 },
    6,
  ],
])(
  "a rule that calls everything transient: %s (retry-axios #117, #309)",
  async (_, options, hits) => {
    const server = await serve(unavailable);
    const { instance } = fixture({ classify: () => "transient", ...options });
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(hits);
  },
);

test("a rule that throws leaves the caller the original error", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture({
    classify: () => {
      throw new Error("mine");
    },
  });
  const error = await errorOf(instance.get(server.url));
  expect(error.response?.status).toBe(503);
});

test("a rule may say no to timeouts (retry-axios #281)", async () => {
  const server = await serve((response) => void response);
  const { instance } = fixture({
    classify: ({ error }) => (Object(error).code === "ECONNABORTED" ? "permanent" : undefined),
  });
  expect((await errorOf(instance.get(server.url, { timeout: 100 }))).code).toBe("ECONNABORTED");
  expect(server.hits).toHaveLength(1);
});

test.each([
  ["is opted in", { retryBudget: { idempotent: true } }],
  ["has an Idempotency-Key", { headers: { "Idempotency-Key": "k" } }],
])("a POST that %s is retried after a 503 (axios-retry #146)", async (_, own) => {
  const server = await serve(unavailable, ok);
  const { instance } = fixture();
  expect(await instance.post(server.url, "pay", own)).toMatchObject({ status: 200 });
  expect(bodies(server)).toEqual(["pay", "pay"]);
});
