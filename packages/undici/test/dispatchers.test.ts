import { createRetryPolicy } from "@retry-budget/core";
import { refusingUrl, serve, status } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import * as undici from "undici";
import { Agent, BalancedPool, Client, Dispatcher, MockAgent, Pool } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Budgeted, budgeted } from "./budgeted.js";
import { undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);

const ofOneOrigin: [string, (url: string) => Dispatcher][] = [
  ["Client", (url) => new Client(url)],
  ["Pool", (url) => new Pool(url)],
];
if (undiciMajor > 6) ofOneOrigin.push(["RoundRobinPool", (url) => new undici.RoundRobinPool(url)]);

/** Without an origin, as these dispatchers are called. */
async function get(dispatcher: Dispatcher, path = "/"): Promise<[number, string]> {
  const options = { path, method: "GET" } as Dispatcher.RequestOptions;
  const { statusCode, body } = await dispatcher.request(options);
  return [statusCode, await body.text()];
}

test("an Agent has a budget for each origin", async () => {
  const servers = [await serve(unavailable, ok), await serve(unavailable, ok)];
  const { dispatcher, policy } = budgeted(new Agent());
  for (const { url } of servers) {
    const { statusCode, body } = await undici.request(url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
  }
  expect(policy.snapshot()).toMatchObject(
    servers.map(({ url }) => ({ origin: url, originals: 1, retries: 1 })),
  );
});

describe.each(ofOneOrigin)("a %s", (_, make) => {
  test("retries, and its budget has the name that was set up", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher, policy } = budgeted(make(server.url), {}, { origin: "payments" });
    expect(await get(dispatcher)).toEqual([200, "answer 200"]);
    expect(policy.snapshot()).toMatchObject([{ origin: "payments", originals: 1, retries: 1 }]);
  });

  test("without a name has its origin's budget where undici tells it, or else one of its own", async () => {
    const servers = [await serve(unavailable), await serve(unavailable)];
    const policy = createRetryPolicy({ initial: 0 });
    for (const { url } of servers) {
      const client = make(url);
      onTestFinished(() => client.destroy());
      const dispatcher = client.compose(retryBudget(policy));
      await get(dispatcher);
      await get(dispatcher);
    }
    const own = { origin: expect.stringMatching(/^undici-\d+$/), originals: 2 };
    const named = servers.map(({ url }) => ({ origin: url, originals: 2 }));
    expect(policy.snapshot()).toMatchObject(undiciMajor === 8 ? named : [own, own]);
  });

  test("gives a request that names another origin that origin's budget", async () => {
    const server = await serve(unavailable);
    const { dispatcher, policy } = budgeted(
      make(server.url),
      { initial: 0 },
      { origin: "payments" },
    );
    const origin = "http://other.example";
    await (await dispatcher.request({ origin, path: "/", method: "GET" })).body.dump();
    expect(policy.snapshot()).toMatchObject([{ origin, originals: 1 }]);
  });
});

describe("a BalancedPool", () => {
  test("may send a retry to another upstream, and has one budget for all of them", async () => {
    const [down, up] = await Promise.all([serve(unavailable), serve(ok)]);
    const { dispatcher, policy } = budgeted(new BalancedPool([down.url, up.url]));
    expect(await get(dispatcher)).toEqual([200, "answer 200"]);
    expect([down.hits.length, up.hits.length]).toEqual([1, 1]);
    expect(policy.snapshot()).toMatchObject([
      { origin: expect.stringMatching(/^undici-\d+$/), originals: 1, retries: 1 },
    ]);
  });

  test("retries an upstream that refuses connections at the other", async () => {
    const [down, up] = await Promise.all([refusingUrl(), serve(ok)]);
    const { dispatcher, policy } = budgeted(
      new BalancedPool([down, up.url]),
      {},
      { origin: "shop" },
    );
    expect(await get(dispatcher)).toEqual([200, "answer 200"]);
    expect(policy.snapshot()).toMatchObject([{ origin: "shop", originals: 1, retries: 1 }]);
  });
});

test.skipIf(undiciMajor === 6)(
  "a RoundRobinPool sends a retry over its next connection (undici 7 and 8)",
  async () => {
    const sockets: unknown[] = [];
    const server = await serve((response, { socket }) => {
      sockets.push(socket);
      response.writeHead(sockets.length === 3 ? 503 : 200).end("x");
    });
    const pool = new undici.RoundRobinPool(server.url, { connections: 2 });
    const { dispatcher } = budgeted(pool);
    // Two at once, so that there are two connections.
    await Promise.all([get(dispatcher), get(dispatcher)]);
    expect(await get(dispatcher)).toEqual([200, "x"]);
    expect(sockets).toHaveLength(4);
    expect(sockets[3]).not.toBe(sockets[2]);
  },
);

test("a replica that an interceptor beneath chose has a budget of its own when it is down", async () => {
  const replica = await refusingUrl();
  const toReplica: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    options.origin = replica;
    return dispatch(options, handler);
  };
  const { dispatcher, policy } = budgeted(new Agent().compose(toReplica));
  const refused = undici.request("http://front.example/", { dispatcher });
  await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(policy.snapshot()).toMatchObject([
    { origin: "http://front.example", originals: 0, retries: 0 },
    { origin: replica, originals: 1, retries: 2 },
  ]);
});

test.skipIf(undiciMajor === 6)(
  "a dispatcher of the user's own may speak the modern API alone (undici 7 and 8)",
  async () => {
    class Own extends Dispatcher {
      override dispatch(_: object, handler: Dispatcher.DispatchHandler): boolean {
        const controller = { pause: () => undefined } as Dispatcher.DispatchController;
        handler.onRequestStart?.(controller, {});
        queueMicrotask(() => {
          handler.onResponseStart?.(controller, 200, { "x-own": "yes" }, "OK");
          handler.onResponseEnd?.(controller, undefined as never);
        });
        return handler.onRequestStart !== undefined;
      }
      override destroy(): Promise<void> {
        return Promise.resolve();
      }
    }
    const { dispatcher } = budgeted(new Own());
    for (const _ of [1, 2]) {
      const { statusCode, headers } = await undici.request("http://own.example/", { dispatcher });
      expect([statusCode, headers]).toEqual([200, { "x-own": "yes" }]);
    }
  },
);

test.skipIf(undiciMajor !== 7)(
  "undici 7's own core gets no modern half after the first request",
  async () => {
    const server = await serve(ok);
    const isModern: boolean[] = [];
    class Seeing extends Agent {
      override dispatch(
        options: Agent.DispatchOptions,
        handler: Dispatcher.DispatchHandler,
      ): boolean {
        // However a dispatcher looks for it.
        isModern.push("onRequestStart" in handler || "onResponseStart" in handler);
        return super.dispatch(options, handler);
      }
    }
    const { dispatcher } = budgeted(new Seeing());
    for (const _ of [1, 2, 3]) {
      const { body } = await undici.request(server.url, { dispatcher });
      expect(await body.text()).toBe("answer 200");
    }
    expect(isModern).toEqual([true, false, false]);
  },
);

describe("a MockAgent", () => {
  const mockFixture = (mock: MockAgent): Budgeted => {
    mock.disableNetConnect();
    onTestFinished(() => mock.close());
    const policy = createRetryPolicy({ backoff: () => 1 });
    return { policy, dispatcher: mock.compose(retryBudget(policy)) };
  };

  test("has its statuses and errors retried", async () => {
    const mock = new MockAgent();
    const { dispatcher, policy } = mockFixture(mock);
    const pool = mock.get("http://mocked.example");
    const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    pool.intercept({ path: "/" }).reply(503, "no");
    pool.intercept({ path: "/" }).replyWithError(reset);
    pool.intercept({ path: "/" }).reply(200, "yes");
    const { statusCode, body } = await undici.request("http://mocked.example/", { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "yes"]);
    expect(policy.snapshot()).toMatchObject([{ origin: "http://mocked.example", retries: 2 }]);
    mock.assertNoPendingInterceptors();
  });

  test("that has no answer for a request fails it once", async () => {
    const mock = new MockAgent();
    const { dispatcher, policy } = mockFixture(mock);
    const result = undici.request("http://mocked.example/", { dispatcher });
    await expect(result).rejects.toMatchObject({ code: "UND_MOCK_ERR_MOCK_NOT_MATCHED" });
    expect(policy.snapshot()).toMatchObject([{ retries: 0, balance: 10 }]);
  });
});
