import { setImmediate } from "node:timers/promises";
import { serve, status, until } from "@retry-budget/testkit";
import got, { HTTPError } from "got";
import { expect, test } from "vitest";
import { abortable, errorOf, failOnStrayErrors, fixture, net, ok, unavailable } from "./fixture.js";

failOnStrayErrors();

/** Names of the warnings of Node's timers and others, and ours. */
async function warningNames(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const listener = ({ name }: Error): number => names.push(name);
  process.on("warning", listener);
  await work();
  await setImmediate();
  process.off("warning", listener);
  return names;
}

test("got-21: a Retry-After beyond every timer is one hit and no timer warning", async () => {
  const server = await serve(status(503, { "retry-after": "9999999" }));
  const { plugin, policy } = fixture();
  expect(await warningNames(() => errorOf(got.extend(plugin)(server.url)))).toEqual([]);
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("a delay of the user's beyond every timer does not fire at once", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const names = await warningNames(async () => {
    const { error, abort } = abortable(client, server.url, {
      retry: { calculateDelay: () => 3e9 },
    });
    await until(() => policy.snapshot()[0]?.balance === 9);
    await new Promise((resolve) => setTimeout(resolve, 100));
    abort();
    await error;
  });
  expect([server.hits.length, names]).toEqual([1, []]);
});

test("got-38: a 429 with Retry-After is waited for, and pays like any other (#1068, #2302)", async () => {
  const server = await serve(status(429, { "retry-after": "1" }), ok);
  const { plugin, policy } = fixture();
  const begin = performance.now();
  expect(await got.extend(plugin)(server.url)).toMatchObject({ statusCode: 200 });
  expect(performance.now() - begin).toBeGreaterThan(950);
  expect(net(policy)).toEqual([{ originals: 1, retries: 1, balance: 9 }]);
});

test("onRetry may change the headers of the retry", async () => {
  const server = await serve(unavailable, ok);
  const { client } = fixture({
    onRetry: async ({ headers }) => {
      (headers as Record<string, string>)["authorization"] = "Bearer fresh";
    },
  });
  await client(server.url, { headers: { authorization: "Bearer old" } });
  expect(server.hits.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer old",
    "Bearer fresh",
  ]);
});

test("when onRetry throws, the error is got's own HTTPError", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ onRetry: () => Promise.reject(new Error("hook")) });
  const error = await errorOf(client(server.url));
  expect(error).toBeInstanceOf(HTTPError);
  expect(error.response?.body).toBe("answer 503");
});
