import { once } from "node:events";
import * as http from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { type Marks, refusalOf, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import {
  type FlakyServer,
  hang,
  listen,
  outerOf,
  serve,
  status,
  until,
  warningsDuring,
} from "@retry-budget/testkit";
import axios, { AxiosHeaders, type InternalAxiosRequestConfig } from "axios";
import { expect, test } from "vitest";
import { errorOf, fixture, httpAdapter, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

const name = "x-attempt";

/** Marks for these servers alone. */
function marksFor(...servers: readonly FlakyServer[]): Marks {
  const named = new Set(servers.map(({ url }) => url));
  return ({ origin, attempt }) => (named.has(origin) ? { [name]: `${attempt}` } : undefined);
}

const seenBy = ({ hits }: FlakyServer): unknown[] => hits.map(({ headers }) => headers[name]);

function headersOf({ config }: { config?: InternalAxiosRequestConfig }): object {
  const headers = { ...config?.headers };
  // What axios itself adds, as each of its versions spells it.
  return Object.fromEntries(Object.entries(headers).filter(([field]) => /^x-/i.test(field)));
}

test.each([
  ["a response", [unavailable, ok]],
  ["an error", [unavailable]],
])("%s holds the headers that the caller has set, and none of ours", async (_, replies) => {
  const server = await serve(...replies);
  const { instance } = fixture({ marks: marksFor(server), maxAttempts: 2 });
  for (const [given, kept] of [
    [{}, {}],
    [
      { "X-Attempt": "99", "X-Other": "1" },
      { "X-Attempt": "99", "X-Other": "1" },
    ],
  ]) {
    const result = await instance.get(server.url, { headers: { ...given } }).catch((e) => e);
    expect(headersOf(result)).toEqual(kept);
    if (result.response !== undefined) expect(headersOf(result.response)).toEqual(kept);
  }
  expect(seenBy(server).slice(0, 2)).toEqual(["1", "2"]);
});

// axios 1.0 exports no AxiosHeaders, and loses the headers of what is sent again (retry-axios #205).
const later = test.skipIf(axiosMinor < 7);

later(
  "a header that the caller has unset stays so, and none is sent where nobody was named",
  async () => {
    const [named, other] = [await serve(ok), await serve(ok)];
    const { instance } = fixture({ marks: marksFor(named) });
    const headers = new AxiosHeaders();
    headers.set("X-Attempt", false as never);
    for (const { url } of [named, other]) {
      const { config } = await instance.get(url, { headers });
      expect(Object.entries(config.headers).filter(([field]) => /^x-a/i.test(field))).toEqual([
        ["X-Attempt", false],
      ]);
    }
    expect([seenBy(named), seenBy(other)]).toEqual([["1"], [undefined]]);
  },
);

later("a failure that is sent again is marked as what it is by then", async () => {
  const server = await serve(unavailable, unavailable, ok);
  const { instance } = fixture({ marks: marksFor(server), maxAttempts: 2 });
  const error = await errorOf(instance.get(server.url));
  await instance.request(error.config ?? {});
  expect(seenBy(server)).toEqual(["1", "2", "1"]);
});

test("onRetry sees the caller's headers, and may set the very one", async () => {
  const server = await serve(unavailable, ok);
  const seen: unknown[] = [];
  const { instance } = fixture({
    marks: marksFor(server),
    onRetry: ({ headers }) => {
      const fields = headers as AxiosHeaders;
      seen.push(fields.get(name));
      fields.set(name, "hook");
    },
  });
  const { config } = await instance.get(server.url, { headers: { [name]: "mine" } });
  expect([seen, seenBy(server), config.headers.get(name)]).toEqual([["mine"], ["1", "2"], "hook"]);
});

test.each(["/same", "other"])("a redirect to %s is asked for anew", async (where) => {
  const other = await serve(ok);
  const location = where === "other" ? other.url : where;
  const server = await serve(status(302, { location }), ok);
  const { instance } = fixture({ marks: marksFor(server) });
  await instance.get(server.url);
  await instance.get(server.url, { headers: { "X-Attempt": "99" } });
  expect([seenBy(server)[0], seenBy(where === "other" ? other : server).at(-1)]).toEqual([
    "1",
    where === "other" ? undefined : "1",
  ]);
});

test("a redirect through servers that were not named: each gets what is meant for it, and the caller's own", async () => {
  const last = await serve(ok);
  const middle = await serve(status(307, { location: last.url }));
  const first = await serve(status(307, { location: middle.url }));
  const headers = { "X-Attempt": "99", "X-Kept": "1" };
  for (const [marks, seen] of [
    [marksFor(first), [["1"], ["99"], ["99"]]],
    [marksFor(middle), [["99"], ["1"], ["99"]]],
    [marksFor(first, last), [["1"], ["99"], ["1"]]],
  ] as const) {
    for (const { hits } of [first, middle, last]) hits.length = 0;
    const { instance } = fixture({ marks });
    const { config } = await instance.get(first.url, { headers });
    expect([first, middle, last].map(seenBy)).toEqual(seen);
    expect(last.hits[0]?.headers["x-kept"]).toBe("1");
    expect(headersOf({ config })).toEqual(headers);
  }
});

test("the caller's beforeRedirect is called with all that it is given, and stays on the config", async () => {
  const other = await serve(ok);
  const server = await serve(status(302, { location: other.url, "x-from": "here" }));
  const { instance } = fixture({ marks: marksFor(server) });
  const seen: unknown[] = [];
  const beforeRedirect = (options: Record<string, unknown>, details?: object): void => {
    seen.push(options["href"], Object(details).headers?.["x-from"]);
    Object(options["headers"])["x-own"] = "set";
  };
  const { config } = await instance.get(server.url, { beforeRedirect });
  expect(config.beforeRedirect).toBe(beforeRedirect);
  // axios 1.0 handed on the options alone.
  expect(seen).toEqual([`${other.url}/`, axiosMinor < 7 ? undefined : "here"]);
  expect(other.hits[0]?.headers).toMatchObject({ "x-own": "set" });
  expect(seenBy(other)).toEqual([undefined]);
});

test("a beforeRedirect that throws ends the request as it does with bare axios", async () => {
  const server = await serve(status(302, { location: "/away" }));
  const { instance } = fixture({ marks: marksFor(server), maxAttempts: 1 });
  const beforeRedirect = (): never => {
    throw new Error("not there");
  };
  const error = await errorOf(instance.get(server.url, { beforeRedirect }));
  expect(error.message).toContain("not there");
  expect(server.hits).toHaveLength(1);
});

test("marks are off when the deadline has ended what cannot be ended, and stay off", async () => {
  const server = await serve(hang());
  const clock = createManualClock();
  const { instance } = fixture({ clock, deadline: 500, marks: marksFor(server) });
  const failure = errorOf(instance.get(server.url));
  await server.received(1);
  clock.advance(500);
  const error = await failure;
  expect(headersOf(error)).toEqual({});
  error.config?.headers.set(name, "the caller's");
  await until(() => server.hits.length === 1);
  await new Promise(setImmediate);
  expect(error.config?.headers.get(name)).toBe("the caller's");
});

test.skipIf(axiosMinor < 13)(
  "an attempt that hangs for ever loses its marks at the deadline",
  async () => {
    const server = createHttp2Server();
    const url = `http://127.0.0.1:${await listen(server)}`;
    const clock = createManualClock();
    const marks: Marks = () => ({ [name]: "1" });
    const { instance } = fixture({ clock, deadline: 500, marks }, { httpVersion: 2 } as object);
    const failure = errorOf(instance.get(url));
    const [stream, headers] = await once(server, "stream");
    expect(headers[name]).toBe("1");
    stream.on("error", () => undefined);
    stream.session.destroy();
    await once(stream, "close");
    clock.advance(500);
    expect(headersOf(await failure)).toEqual({});
  },
);

test("requests at once have marks of their own", async () => {
  const server = await serve((response, request) => response.end(String(request.headers[name])));
  const marks: Marks = ({ attempt }) => ({ [name]: `${attempt}` });
  const { instance } = fixture({ marks });
  const headers = { shared: "1" };
  const results = await Promise.all(
    Array.from({ length: 20 }, () => instance.get(server.url, { headers })),
  );
  expect(new Set(results.map(({ data }) => String(data)))).toEqual(new Set(["1"]));
  expect(headers).toEqual({ shared: "1" });
});

test("an axios that finds its adapter by the detour sends them as well", async () => {
  const server = await serve(unavailable, ok);
  const { instance } = fixture({ marks: marksFor(server) }, { adapter: httpAdapter });
  await instance.get(server.url);
  expect(seenBy(server)).toEqual(["1", "2"]);
});

test("adapters that follow redirects unseen get none, and the process is told once why", async () => {
  const server = await serve(ok);
  const { instance } = fixture({ marks: marksFor(server) });
  const own = (config: InternalAxiosRequestConfig): Promise<never> => httpAdapter(config) as never;
  const warnings = await warningsDuring(async () => {
    await instance.get(server.url, { adapter: own });
    if (axiosMinor >= 7) await instance.get(server.url, { adapter: "fetch" });
    await instance.get(server.url, { adapter: own });
  });
  expect(new Set(seenBy(server))).toEqual(new Set([undefined]));
  expect(warnings).toEqual(["RETRY_BUDGET_MARKS"]);
});

test("a transport of the caller's gets none, either", async () => {
  const server = http.createServer((request, response) =>
    response.end(String(request.headers[name])),
  );
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { instance } = fixture({ marks: () => ({ [name]: "1" }) });
  expect((await instance.get(url, { transport: http })).data).toBe("undefined");
  expect((await instance.get(url)).data).toBe(1);
});

test("of a first attempt that an outer deadline denies nothing is marked, and axios' error is the caller's", async () => {
  const { instance } = fixture({ marks: () => ({ [name]: "1" }) });
  const outer = outerOf({ isRetried: false, remaining: () => 0 });
  const error = await errorOf(runInside(outer, () => instance.get("http://a.example")));
  expect(axios.isAxiosError(error)).toBe(true);
  expect(headersOf(error)).toEqual({});
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
});
