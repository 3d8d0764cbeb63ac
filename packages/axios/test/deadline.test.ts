import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { setImmediate as turn } from "node:timers/promises";
import { refusalOf, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { hang, listen, outerOf, serve, ToldBreaker, until } from "@retry-budget/testkit";
import axios, { AxiosError } from "axios";
import { expect, onTestFinished, test, vi } from "vitest";
import { adapters, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

test("no wait begins that would end after it: the last error is the caller's (axios-retry #104, #220)", async () => {
  const server = await serve(unavailable);
  const clock = createManualClock();
  const waits: number[] = [];
  const backoff = (attempt: number): number => {
    waits.push(attempt * 100);
    return attempt * 100;
  };
  const { instance } = fixture({ clock, maxAttempts: 10, deadline: 500, backoff });
  const error = errorOf(instance.get(server.url));
  for (const count of [1, 2]) {
    await until(() => waits.length === count);
    await turn();
    clock.advance(count * 100);
  }
  expect((await error).response?.status).toBe(503);
  expect(refusalOf(await error)).toMatchObject({ refusal: "deadline", attempts: 3 });
  expect([clock.now(), clock.pending, server.hits.length]).toEqual([300, 0, 3]);
});

test.each(adapters)(
  "an attempt in flight ends at it with axios' own timeout, and its connection with it (%o)",
  async (defaults) => {
    const server = createServer();
    const url = `http://127.0.0.1:${await listen(server)}`;
    const clock = createManualClock();
    const { instance, policy } = fixture({ clock }, defaults);
    const error = errorOf(instance.get(url, { retryBudget: { deadline: 500 } }));
    const [request] = await once(server, "request");
    clock.advance(500);
    const failure = await error;
    expect(failure).toBeInstanceOf(AxiosError);
    const code = defaults.adapter === "fetch" ? "ETIMEDOUT" : "ECONNABORTED";
    expect(failure).toMatchObject({ code, message: "timeout of 500ms exceeded" });
    expect(axios.isCancel(failure)).toBe(false);
    expect(failure.config).toMatchObject({ url, retryBudget: { deadline: 500 } });
    expect(failure.config?.cancelToken).toBeUndefined();
    expect(failure.toJSON()).toMatchObject({ code });
    expect(refusalOf(failure)).toMatchObject({ refusal: "deadline", attempts: 1 });
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 0, balance: 10 }]);
    await until(() => request.destroyed);
    expect(clock.pending).toBe(0);
  },
);

test.each(["POST", "PATCH"])(
  "a %s that it ends is refused by it, and not by its method",
  async (method) => {
    const server = await serve(hang());
    const clock = createManualClock();
    const { instance } = fixture({ clock, deadline: 500 });
    const error = errorOf(instance.request({ url: server.url, method, data: "x" }));
    await server.received(1);
    clock.advance(500);
    expect(await error).toMatchObject({ code: "ECONNABORTED" });
    expect(refusalOf(await error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  },
);

test.each([
  [{}, "ECONNABORTED", "timeout of 0ms exceeded"],
  [
    { transitional: { clarifyTimeoutError: true }, timeoutErrorMessage: "mine" },
    "ETIMEDOUT",
    "mine",
  ],
])(
  "an outer call that has no time left: nothing is sent, with %o",
  async (config, code, message) => {
    const server = await serve(ok);
    const { instance, policy } = fixture();
    const outer = outerOf({ isRetried: false, remaining: () => -5 });
    const failure = await errorOf(runInside(outer, () => instance.get(server.url, config)));
    expect(failure).toBeInstanceOf(AxiosError);
    expect(failure).toMatchObject({ code, message, config: { url: server.url } });
    expect(refusalOf(failure)).toMatchObject({ refusal: "deadline", attempts: 0 });
    expect(server.hits).toHaveLength(0);
    expect(policy.snapshot()).toMatchObject([{ originals: 0, retries: 0 }]);
  },
);

test("an open circuit ends a request with the breaker's very error", async () => {
  const server = await serve(ok);
  const breaker = new ToldBreaker();
  breaker.isOpen = true;
  const { instance } = fixture({ breakers: { of: () => breaker } });
  expect(await errorOf(instance.get(server.url))).toBe(breaker.error);
  expect([server.hits.length, breaker.told]).toEqual([0, []]);
});

test("its error is axios' own also where Node has no `__proto__` (--disable-proto)", async () => {
  const server = await serve(hang());
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500 });
  const error = errorOf(instance.get(server.url));
  await server.received(1);
  const accessor = Object.getOwnPropertyDescriptor(Object.prototype, "__proto__") ?? {};
  onTestFinished(() => void Object.defineProperty(Object.prototype, "__proto__", accessor));
  Reflect.deleteProperty(Object.prototype, "__proto__");
  clock.advance(500);
  expect(await error).toBeInstanceOf(AxiosError);
});

test("it is spelt as axios spells a timeout in this config", async () => {
  const server = await serve(hang());
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500 });
  const transitional = { clarifyTimeoutError: true };
  const error = errorOf(instance.get(server.url, { transitional, timeoutErrorMessage: "mine" }));
  await server.received(1);
  clock.advance(500);
  expect(await error).toMatchObject({ code: "ETIMEDOUT", message: "mine" });
});

test.skipIf(axiosMinor < 13)(
  "a request of an HTTP/2 session that is destroyed before the headers is rescued by it",
  async () => {
    const server = createHttp2Server();
    const url = `http://127.0.0.1:${await listen(server)}`;
    const clock = createManualClock();
    const { instance } = fixture({ clock, deadline: 500 }, { httpVersion: 2 } as object);
    const error = errorOf(instance.get(url));
    const [stream] = await once(server, "stream");
    stream.on("error", () => undefined);
    stream.session.destroy();
    await once(stream, "close");
    clock.advance(500);
    expect(await error).toMatchObject({ code: "ECONNABORTED" });
    expect(clock.pending).toBe(0);
  },
);

test("an adapter that cannot be ended is left to itself, and what it gives too late is let go", async () => {
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500 });
  const data = { on: vi.fn(), destroy: vi.fn() };
  let answer = (): void => undefined;
  const error = errorOf(
    instance.get("http://a.example/", {
      responseType: "stream",
      adapter: (config) =>
        new Promise((resolve) => {
          answer = () => resolve({ data, status: 200, statusText: "", headers: {}, config });
        }),
    }),
  );
  await until(() => clock.pending > 0);
  clock.advance(500);
  expect(await error).toMatchObject({ code: "ECONNABORTED" });
  answer();
  await until(() => data.destroy.mock.calls.length > 0);
});

test.each(adapters)(
  "a call with one is ended by the caller's signal and token as ever (%o)",
  async (defaults) => {
    const server = await serve(hang());
    const { instance } = fixture({ deadline: 60_000 }, defaults);
    const aborting = new AbortController();
    const aborted = errorOf(instance.get(server.url, { signal: aborting.signal }));
    await server.received(1);
    aborting.abort();
    expect(axios.isCancel(await aborted)).toBe(true);
    const source = axios.CancelToken.source();
    const cancelled = errorOf(instance.get(server.url, { cancelToken: source.token }));
    await server.received(2);
    source.cancel("enough");
    expect(await cancelled).toMatchObject({ message: "enough", code: "ERR_CANCELED" });
    const { _listeners: listeners } = source.token as { _listeners?: unknown[] };
    await until(() => (listeners ?? []).length === 0);
  },
);

test("an answer in time is bare axios', and leaves neither timer nor listener", async () => {
  const server = await serve(unavailable, ok);
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500, backoff: () => 0 });
  const source = axios.CancelToken.source();
  const result = instance.get(server.url, { cancelToken: source.token });
  await server.received(1);
  await until(() => clock.pending > 0);
  while (server.hits.length < 2) {
    clock.advance(0);
    await turn();
  }
  const { config, data } = await result;
  expect(data).toEqual({ fine: true });
  expect(config.cancelToken).toBe(source.token);
  expect(clock.pending).toBe(0);
});

test("a stream that has begun is the caller's, and the caller can still end it", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200).write("begun");
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500 });
  const aborting = new AbortController();
  const { data } = await instance.get(url, { responseType: "stream", signal: aborting.signal });
  clock.advance(1000);
  expect(data.destroyed).toBe(false);
  const failed = once(data, "error");
  aborting.abort();
  await failed;
});

test.each([[null], [false], [""], [undefined]])(
  "a call with one and a cancelToken of %j is sent as bare axios sends it",
  async (cancelToken) => {
    const server = await serve(ok);
    const { instance } = fixture({ deadline: 60_000 });
    const response = await instance.get(server.url, { cancelToken: cancelToken as never });
    expect(response.status).toBe(200);
  },
);

test("an error whose config cannot be read is the caller's as it is, also within one", async () => {
  const thrown = {
    get config(): never {
      throw new Error("no config");
    },
  };
  for (const options of [{}, { deadline: 60_000 }]) {
    const { instance } = fixture(options);
    const adapter = (): Promise<never> => Promise.reject(thrown);
    const error: unknown = await instance.get("http://a.example/", { adapter }).catch((e) => e);
    expect(error).toBe(thrown);
  }
});
