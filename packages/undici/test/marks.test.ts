import type { Marks } from "@retry-budget/core";
import { errorOf, type FlakyServer, serve, status, warningsDuring } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, Client, type Dispatcher, interceptors, request } from "undici";
import { describe, expect, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";
import { undiciMajor } from "./undici-major.js";

const ok = status(200);
const unavailable = status(503);

/** Marks for this server only. */
const marksFor = ({ url }: FlakyServer): { marks: Marks } => ({
  marks: ({ origin, attempt }) => (origin === url ? { "x-attempt": `${attempt}` } : undefined),
});
const marksAt = ({ hits }: FlakyServer): unknown[] => hits.map((hit) => hit.headers["x-attempt"]);

const pairs: [string, string][] = [
  ["X-Attempt", "99"],
  ["x-own", "kept"],
];

test.each<[string, () => unknown]>([
  ["an object", () => Object.fromEntries(pairs)],
  ["a flat array", () => pairs.flat()],
  ["a Map", () => new Map(pairs)],
  ["Headers", () => new Headers(pairs)],
  ["an iterator", () => new Map(pairs).entries()],
])("marks replace what is set in %s, which stays as it was", async (name, make) => {
  const server = await serve(unavailable, ok);
  const { dispatcher } = budgetedAgent(marksFor(server));
  const headers = make();
  const { statusCode } = await request(server.url, { dispatcher, headers } as never);
  expect([statusCode, marksAt(server)]).toEqual([200, ["1", "2"]]);
  expect(server.hits.map((hit) => hit.headers["x-own"])).toEqual(["kept", "kept"]);
  if (name !== "an iterator") expect(headers).toEqual(make());
});

test.each([null, undefined, {}, []])("marks are added to headers of %j", async (headers) => {
  const server = await serve(ok);
  const { dispatcher } = budgetedAgent(marksFor(server));
  await request(server.url, { dispatcher, headers } as never);
  expect(marksAt(server)).toEqual(["1"]);
});

test("lines of one name stay several", async () => {
  const server = await serve(ok);
  const { dispatcher } = budgetedAgent(marksFor(server));
  const headers = ["x-own", "a", "x-own", "b", "X-Other", "c"];
  await request(server.url, { dispatcher, headers });
  expect(server.hits).toMatchObject([
    { headers: { "x-own": "a, b", "x-other": "c", "x-attempt": "1" } },
  ]);
});

test.each<[string, unknown]>([
  ["an odd list", ["x-own"]],
  ["a list of pairs", pairs],
  ["a string", "x-own: 1"],
  ["an iterable of words", new Set(["x-own"])],
])("what undici does not take as headers gets its own error: %s", async (_, headers) => {
  const server = await serve(ok);
  const { agent, dispatcher } = budgetedAgent(marksFor(server));
  const bare = await errorOf(request(server.url, { dispatcher: agent, headers } as never));
  const error = await errorOf(request(server.url, { dispatcher, headers } as never));
  expect([error.name, error.message]).toEqual([bare.name, bare.message]);
  expect(server.hits).toHaveLength(0);
});

describe.each(fetches)("$name", ({ fetch: anyFetch }) => {
  test("marks its attempts, and nothing that a redirect leads to elsewhere", async () => {
    const other = await serve(ok);
    const server = await serve(unavailable, status(307, { location: other.url }));
    const { dispatcher } = budgetedAgent(marksFor(server));
    const init = { dispatcher, headers: { "X-Attempt": "99" } };
    expect(await anyFetch(server.url, init)).toMatchObject({ status: 200 });
    expect([marksAt(server), marksAt(other)]).toEqual([["1", "2"], ["99"]]);
  });
});

describe("with undici's redirect", () => {
  type Compose = (agent: Agent, budget: Dispatcher.DispatcherComposeInterceptor) => Dispatcher;
  const redirect = interceptors.redirect({ maxRedirections: 2 });

  test.each<[string, Compose]>([
    ["outside", (agent, budget) => agent.compose(budget, redirect)],
    ["inside, where it should not be", (agent, budget) => agent.compose(redirect, budget)],
  ])("%s no mark goes to another origin", async (_, compose) => {
    const other = await serve(ok);
    const server = await serve(status(302, { location: other.url }));
    const { agent, policy } = budgetedAgent(marksFor(server));
    const dispatcher = compose(agent, retryBudget(policy));
    const { statusCode } = await request(server.url, { dispatcher, headers: { "x-own": "1" } });
    expect([statusCode, marksAt(server), marksAt(other)]).toEqual([200, ["1"], [undefined]]);
    expect(other.hits).toMatchObject([{ headers: { "x-own": "1" } }]);
  });
});

test("a retry after a redirect is marked by its own number", async () => {
  const other = await serve(unavailable, ok);
  const server = await serve(unavailable, status(302, { location: other.url }));
  const { agent, policy } = budgetedAgent(marksFor(other));
  const redirect = interceptors.redirect({ maxRedirections: 2 });
  const dispatcher = agent.compose(retryBudget(policy), redirect);
  expect((await request(server.url, { dispatcher })).statusCode).toBe(200);
  expect([marksAt(server), marksAt(other)]).toEqual([
    [undefined, undefined],
    ["1", "2"],
  ]);
});

describe("a Client", () => {
  test("whose origin is not known sends no marks (undici 6 and 7)", async () => {
    const server = await serve(ok);
    const { dispatcher } = budgeted(new Client(server.url), marksFor(server));
    await dispatcher.request({ path: "/", method: "GET" });
    expect(marksAt(server)).toEqual([undiciMajor >= 8 ? "1" : undefined]);
  });

  test("whose origin is set sends them", async () => {
    const server = await serve(ok);
    const settings = { origin: server.url };
    const { dispatcher } = budgeted(new Client(server.url), marksFor(server), settings);
    await dispatcher.request({ path: "/", method: "GET" });
    expect(marksAt(server)).toEqual(["1"]);
  });

  test("that has a name sends none, and warns of nothing", async () => {
    const server = await serve(ok);
    const warnings = await warningsDuring(async () => {
      const named = { origin: "payments" };
      const { dispatcher } = budgeted(new Client(server.url), marksFor(server), named);
      await dispatcher.request({ path: "/", method: "GET" });
    });
    expect([marksAt(server), warnings]).toEqual([[undiciMajor >= 8 ? "1" : undefined], []]);
  });
});

test("a request that has opted out is not marked", async () => {
  const server = await serve(ok);
  const { dispatcher } = budgeted(new Agent(), marksFor(server));
  await request(server.url, { dispatcher, retryBudget: false });
  expect(marksAt(server)).toEqual([undefined]);
});
