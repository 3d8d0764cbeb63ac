import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { retryBudget as attach } from "@retry-budget/axios";
import type * as core from "@retry-budget/core";
import type { createRetryPolicy, RetryBudgetEvent, RetryPolicyOptions } from "@retry-budget/core";
import { errorOf, hang, serve, status } from "@retry-budget/testkit";
import axios, { type AxiosInstance } from "axios";
import { beforeAll, describe, expect, test } from "vitest";
import { bundle, compile, load, root } from "./browser-bundle.js";

/** Bytes, by gzip -9. The goal is 5,000: docs/decisions/0019. */
const most = 10_700;

interface Bundled {
  readonly retryBudget: typeof attach;
  readonly createRetryPolicy: typeof createRetryPolicy;
  readonly refusalOf: typeof core.refusalOf;
  readonly originOf: typeof core.originOf;
}

let adapterAlone: string;
let bundled: Bundled;

beforeAll(async () => {
  await compile();
  adapterAlone = await bundle(`export { retryBudget } from "@retry-budget/axios";`);
  const all = `
    export { retryBudget } from "@retry-budget/axios";
    export { createRetryPolicy, originOf, refusalOf } from "@retry-budget/core";`;
  bundled = (await load(await bundle(all))) as Bundled;
}, 60_000);

describe("the bundle for browsers", () => {
  test(`is at most ${most} bytes`, () => {
    expect(gzipSync(adapterAlone, { level: 9 }).length).toBeLessThanOrEqual(most);
  });

  test("imports nothing but axios, and holds nothing that only Node has", () => {
    const imports = adapterAlone.matchAll(/\bimport\b[^;]*?["'`]([^"'`]+)["'`]/g);
    expect(Array.from(imports, ([, name]) => name)).toEqual(["axios"]);
    expect(adapterAlone).not.toMatch(/\brequire\b|node:/);
    expect(adapterAlone).not.toMatch(/emitWarning|getBuiltinModule|UND_ERR_|ECONNREFUSED/);
    expect(adapterAlone).not.toMatch(/Expected `/);
  });

  // What a variant lacks and somebody imports fails the build.
  test("takes variants that export nothing but what the files they replace export", async () => {
    for (const name of ["budget-core", "axios"]) {
      const folder = join(root, "packages", name);
      const { browser } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const names = async (file: string): Promise<string[]> =>
        Object.keys(await import(join(folder, file))).sort();
      expect(Object.keys(browser).length).toBeGreaterThan(0);
      for (const [file, variant] of Object.entries<string>(browser)) {
        expect(await names(file), file).toEqual(expect.arrayContaining(await names(variant)));
      }
    }
  });
});

function fixture(options: RetryPolicyOptions = {}) {
  const policy = bundled.createRetryPolicy({ backoff: { base: 1, max: 5 }, ...options });
  const client = axios.create({ proxy: false });
  bundled.retryBudget(client, policy);
  const failing = (url: string, config?: object): Promise<unknown> =>
    errorOf(client.get(url, config));
  return { policy, client, failing };
}

const unavailable = status(503);

// Loaded into Node, on real servers; test/browser does the same to a real browser.
describe("in the bundle for browsers", () => {
  test("retries stay within the budget", async () => {
    const server = await serve(unavailable);
    const { policy, failing } = fixture({ ratio: 0.1, capacity: 5, maxAttempts: 5 });
    for (let request = 0; request < 30; request++) await failing(server.url);
    expect(server.hits.length).toBeLessThanOrEqual(30 + 5 + 3);
    expect(server.hits.length).toBeGreaterThan(30);
    expect(policy.snapshot()).toMatchObject([
      { origin: server.url, balance: 0, originals: 30, retries: server.hits.length - 30 },
    ]);
  });

  test("a new origin beyond the limit takes over the tokens of the oldest", async () => {
    const [first, second] = [await serve(unavailable), await serve(unavailable)];
    const { policy, failing } = fixture({ maxOrigins: 1, capacity: 2, ratio: 0 });
    await failing(first.url);
    await failing(second.url);
    expect([first.hits.length, second.hits.length]).toEqual([3, 1]);
    expect(policy.snapshot()).toMatchObject([{ origin: second.url, balance: 0 }]);
  });

  test("the failure reaches the caller, and why it was not retried stands beside it", async () => {
    const server = await serve(unavailable);
    const { failing } = fixture({ initial: 0 });
    const error = await failing(server.url);
    expect(error).toMatchObject({ response: { status: 503, data: "answer 503" } });
    const refused = { refusal: "budget", origin: server.url, attempts: 1, balance: 0 };
    expect(bundled.refusalOf(error)).toEqual(refused);
  });

  test("only what may be repeated is repeated", async () => {
    const server = await serve(unavailable);
    const { client } = fixture();
    const error = await errorOf(client.post(server.url, "once"));
    expect(bundled.refusalOf(error)).toMatchObject({ refusal: "method" });
    await errorOf(client.post(server.url, "x", { retryBudget: { idempotent: true } }));
    await errorOf(client.get(server.url, { retryBudget: false }));
    expect(server.hits).toHaveLength(1 + 3 + 1);
  });

  test("a timeout is transient by axios' own code", async () => {
    const server = await serve(hang(), status(200));
    const { client } = fixture();
    // Long enough for the second attempt on a loaded machine.
    expect(await client.get(server.url, { timeout: 500 })).toMatchObject({ status: 200 });
  });

  test.each([
    ["retry-after", "7", 7000],
    ["retry-after-ms", "1500.5", 1500.5],
    ["grpc-retry-pushback-ms", "2500", 2500],
    ["ratelimit", '"default";r=0;t=9', 9000],
  ])("%s: %s is a wait of %d ms", async (name, value, retryAfter) => {
    const server = await serve(status(503, { [name]: value }));
    const { failing } = fixture({ maxRetryAfter: 100 });
    const details = bundled.refusalOf(await failing(server.url));
    expect(details).toMatchObject({ refusal: "retry-after", retryAfter });
  });

  test("the date that servers write is a wait; the two obsolete forms count as absent", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const [, day, month, year, time] = date.split(" ");
    const refusals = [];
    for (const value of [date, `Sun ${month} ${day} ${time} ${year}`, "Invalid Date", "99"]) {
      const server = await serve(status(503, { "retry-after": value }));
      const { failing } = fixture();
      refusals.push(bundled.refusalOf(await failing(server.url))?.refusal);
    }
    expect(refusals).toEqual(["retry-after", "attempts", "attempts", "retry-after"]);
  });

  test.each([
    [{ "x-should-retry": "false" }],
    [{ "x-envoy-ratelimited": "true" }],
    [{ "grpc-retry-pushback-ms": "-1" }],
  ])("%o is obeyed", async (headers) => {
    const server = await serve(status(503, headers));
    const { failing } = fixture();
    expect(bundled.refusalOf(await failing(server.url))?.refusal).toBe("server");
    expect(server.hits).toHaveLength(1);
  });

  test.each<[unknown, string, string]>([
    [{ ratio: Number.NaN }, "ratio", "NaN"],
    [{ ratio: 1e-9 }, "ratio", "1e-9"],
    [{ capacity: "10" }, "capacity", "10"],
    [{ initial: 11 }, "initial", "11"],
    [{ maxAttempts: 1.5 }, "maxAttempts", "1.5"],
    [{ backoff: { base: -1 } }, "backoff.base", "-1"],
    [{ backoff: { jitter: "half" } }, "backoff.jitter", "half"],
    [{ backoff: { factor: 2 } }, "factor", "2"],
    [{ maxRetryAfter: 2 ** 31 }, "maxRetryAfter", "2147483648"],
    [{ deadline: 0 }, "deadline", "0"],
    [{ methods: ["GET POST"] }, "methods", "GET POST"],
    [{ statuses: [200] }, "statuses", "200"],
    [{ onRetry: Object.create(null) }, "onRetry", "no text"],
    [{ origins: { x: { ratio: -2 } } }, "ratio", "-2"],
    [{ origins: { "http://a": {}, "http://a/": {} } }, "origins[http://a/]", "http://a/"],
    [{ clock: { now: 1 } }, "clock.now", "1"],
    [{ budgets: {} }, "budgets.of", "undefined"],
    [{ retries: 3 }, "retries", "3"],
    [Promise.resolve(), "options", "[object Promise]"],
    ["fast", "options", "fast"],
  ])("%o is a TypeError that names the field and the value", (options, field, value) => {
    const attempt = (): unknown => bundled.retryBudget(axios.create(), options as never);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(field);
    expect(attempt).toThrow(value);
  });

  test("events come to who listens, and a listener that fails changes nothing", async () => {
    const server = await serve(unavailable);
    const { policy, failing } = fixture({ initial: 1, ratio: 0 });
    const seen: RetryBudgetEvent[] = [];
    policy.subscribe(() => {
      throw new Error("broken");
    });
    policy.subscribe((() => Promise.reject(new Error("broken later"))) as never);
    const stop = policy.subscribe((event) => seen.push(event));
    await failing(server.url);
    stop();
    await failing(server.url);
    const { url: origin } = server;
    const call = { v: 1, origin, client: "axios", method: "GET" };
    expect(seen).toEqual([
      { ...call, type: "original", attempt: 1, balance: 1 },
      { v: 1, type: "exhausted", origin, balance: 0 },
      { ...call, type: "retry", attempt: 2, balance: 0, delay: expect.any(Number) },
      { ...call, type: "refused", attempt: 2, balance: 0, refusal: "budget" },
    ]);
  });

  test("rules, hooks, stores and clocks that fail never fail a request", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    const clock = { now: broken, wall: broken, schedule: broken };
    const rules = { classify: broken, backoff: broken, clock, trickle: 1, deadline: 60_000 };
    const server = await serve(unavailable, status(200));
    const { client } = fixture(rules);
    expect(await client.get(server.url)).toMatchObject({ status: 200 });

    const down = await serve(unavailable);
    for (const options of [{ onRetry: broken }, { budgets: { of: broken } }]) {
      const { failing } = fixture(options);
      expect(await failing(down.url)).toMatchObject({ response: { status: 503 } });
    }
    expect(down.hits).toHaveLength(2);
  });

  test("a mistake in a request's own options is left out", async () => {
    const server = await serve(unavailable);
    const { failing } = fixture();
    await failing(server.url, { retryBudget: { maxAttempts: 2, deadline: "soon", tries: 9 } });
    await failing(server.url, { retryBudget: "never" });
    expect(server.hits).toHaveLength(2 + 3);
  });

  test("a deadline ends an attempt in flight, and no retry goes beyond it", async () => {
    const hanging = await serve(hang());
    const { failing } = fixture({ deadline: 100 });
    const error = await failing(hanging.url);
    expect(error).toMatchObject({ code: "ECONNABORTED" });
    expect(bundled.refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });

    const server = await serve(unavailable);
    const slow = fixture({ backoff: () => 1000 });
    const late = await slow.failing(server.url, { retryBudget: { deadline: 500 } });
    expect(bundled.refusalOf(late)).toMatchObject({ refusal: "deadline" });
  });

  test("an abort in the wait ends the call at once, and the token is back", async () => {
    const server = await serve(unavailable);
    const { policy, failing } = fixture({ backoff: () => 60_000 });
    const controller = new AbortController();
    const failed = failing(server.url, { signal: controller.signal });
    await server.received(1);
    await expect.poll(() => policy.snapshot()[0]?.balance).toBe(9);
    controller.abort();
    expect(await failed).toMatchObject({ code: "ERR_CANCELED" });
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });

  test("the origin of a URL is the parser's", () => {
    expect(bundled.originOf("HTTPS://user:pw@A.example:443/x")).toBe("https://a.example");
    expect(bundled.originOf("redis://db:6379/0")).toBe("redis://db:6379");
    expect(() => bundled.originOf("nonsense")).toThrow(TypeError);
  });

  test("nothing given is the default policy of the process", async () => {
    const server = await serve(unavailable);
    const client: AxiosInstance = axios.create({ proxy: false });
    bundled.retryBudget(client, undefined).detach();
    expect(await errorOf(client.get(server.url))).toMatchObject({ response: { status: 503 } });
    expect(server.hits).toHaveLength(1);
  });
});
