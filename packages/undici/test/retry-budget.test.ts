import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { type Reply, refusingUrl, serve, status, until } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import {
  Agent,
  Client,
  type Dispatcher,
  getGlobalDispatcher,
  interceptors,
  MockAgent,
  fetch as npmFetch,
  Pool,
  RetryAgent,
  request,
  setGlobalDispatcher,
} from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);
const endless: Reply = (response) => {
  response.writeHead(503).write("never ended");
};
const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};

const fetches: readonly [string, (url: string, init: object) => Promise<Response>][] = [
  ["the fetch of npm", npmFetch as never],
  ["the built-in fetch", fetch as never],
];

describe.each(fetches)("%s", (_, anyFetch) => {
  test("has the budget of the global dispatcher (undici 6 sets it where Node 26 does not look)", async ({
    skip,
  }) => {
    skip(undiciMajor === 6 && nodeMajor >= 26 && anyFetch === fetches[1]?.[1]);
    const server = await serve(unavailable, ok);
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const { dispatcher, policy } = budgetedAgent();
    setGlobalDispatcher(dispatcher);
    expect(await anyFetch(server.url, {})).toMatchObject({ status: 200 });
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });
});

describe("request", () => {
  test("fails promptly when the agent is destroyed in the backoff: the first failure is the cause, the token is back", async () => {
    const server = await serve(unavailable);
    const { dispatcher, agent, policy } = budgetedAgent({ backoff: () => 500 });
    const result = request(server.url, { dispatcher }).catch((error: unknown) => error);
    await until(() => policy.snapshot()[0]?.balance === 9);
    await agent.destroy();
    expect(await result).toMatchObject({ code: "UND_ERR_DESTROYED", cause: { statusCode: 503 } });
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });

  test("when onRetry throws after a response, the error names its status", async () => {
    const server = await serve(unavailable);
    const { dispatcher } = budgetedAgent({ onRetry: () => Promise.reject(new Error("hook")) });
    const error: unknown = await request(server.url, { dispatcher }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "RETRY_BUDGET_ABANDONED", statusCode: 503 });
    expect(String(error)).toContain("503");
  });

  test("when onRetry throws after an error, that error is the caller's", async () => {
    const { dispatcher } = budgetedAgent({ onRetry: () => Promise.reject(new Error("hook")) });
    const result = request(await refusingUrl(), { dispatcher });
    await expect(result).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("other ways of calling", () => {
  test("an upgrade passes untouched", async () => {
    const server = createServer();
    server.on("upgrade", (_, socket) => {
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n",
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { dispatcher, policy } = budgetedAgent();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { path: "/", protocol: "echo", origin } as Dispatcher.UpgradeOptions;
    const { headers } = await dispatcher.upgrade(options);
    expect(headers).toMatchObject({ upgrade: "echo" });
    expect(policy.snapshot()).toEqual([]);
  });

  test("redirects outside: only the hop that fails is retried, and its origin is charged", async () => {
    const target = await serve(unavailable, ok);
    const server = await serve(status(302, { location: `${target.url}/there` }));
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(
      retryBudget(policy),
      interceptors.redirect({ maxRedirections: 2 }),
    );
    const result = await request(server.url, { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "answer 200"]);
    expect([server.hits.length, target.hits.length]).toEqual([1, 2]);
    expect(policy.snapshot()).toMatchObject([
      { origin: server.url, originals: 1, balance: 10 },
      { origin: target.url, originals: 1, balance: 9 },
    ]);
  });

  test("the refusal is found on a result that came by a redirect (undici 6 drops it)", async ({
    skip,
  }) => {
    skip(undiciMajor === 6);
    const target = await serve(unavailable);
    const server = await serve(status(302, { location: target.url }));
    const { agent, policy } = budgetedAgent({ initial: 0 });
    const dispatcher = agent.compose(
      retryBudget(policy),
      interceptors.redirect({ maxRedirections: 2 }),
    );
    const result = await request(server.url, { dispatcher });
    await result.body.dump();
    expect(refusalOf(result)).toMatchObject({ refusal: "budget", origin: target.url });
  });

  test("MockAgent: statuses and errors are retried", async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    onTestFinished(() => mock.close());
    const pool = mock.get("http://mocked.example");
    pool.intercept({ path: "/" }).reply(503, "no");
    pool
      .intercept({ path: "/" })
      .replyWithError(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    pool.intercept({ path: "/" }).reply(200, "yes");
    const policy = createRetryPolicy({ backoff: () => 1 });
    const dispatcher = mock.compose(retryBudget(policy));
    const result = await request("http://mocked.example/", { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "yes"]);
  });

  test.each([
    ["Client", (url: string) => new Client(url)],
    ["Pool", (url: string) => new Pool(url)],
  ])(
    "%s: the origin is the one that was set up, or that undici 8 tells, or else the budget is the composition's own",
    async (_, make) => {
      const server = await serve(unavailable);
      const told = undiciMajor >= 8 ? server.url : expect.stringMatching(/^undici-\d+$/);
      for (const [settings, origin] of [
        [{ origin: server.url }, server.url],
        [{}, told],
      ] as const) {
        const client = make(server.url);
        onTestFinished(() => client.destroy());
        const policy = createRetryPolicy({ initial: 0 });
        const dispatcher = client.compose(retryBudget(policy, settings));
        const result = await dispatcher.request({ path: "/", method: "GET" } as never);
        await result.body.dump();
        expect(policy.snapshot()).toMatchObject([{ origin, originals: 1 }]);
      }
    },
  );
});

test.each([["a string"], [7], [null], [{ ratios: 1 }]])(
  "retryBudget(%j) is a TypeError at set-up",
  (options) => {
    expect(() => retryBudget(options as never)).toThrow(TypeError);
  },
);

test("settings.origin that is neither URL nor text is a TypeError at set-up", () => {
  expect(() => retryBudget({}, { origin: 7 as never })).toThrow(
    "Expected `settings.origin` to be a URL or a name, got 7.",
  );
});

test("the interceptor fits undici: what it returns takes two arguments", () => {
  const dispatch = (): boolean => true;
  expect(retryBudget({})(dispatch)).toHaveLength(2);
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget({}, settings as never)).toThrow(TypeError);
  },
);

describe("a caller that speaks the modern handler API alone", () => {
  const send = (dispatcher: Dispatcher, origin: string, pauseFirst: boolean): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const log: unknown[] = [];
      let starts = 0;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: (controller) => {
          starts++;
          log.push(["start", starts, controller.aborted, controller.reason]);
        },
        onResponseStart: (controller, statusCode, headers) => {
          log.push([
            "head",
            statusCode,
            headers["set-cookie"],
            Array.isArray(controller.rawHeaders),
          ]);
          if (!pauseFirst) return;
          controller.pause();
          log.push(["paused", controller.paused]);
          setTimeout(() => controller.resume(), 20);
        },
        onResponseData: (_, chunk) => log.push(["data", String(chunk)]),
        onResponseEnd: (_, trailers) => {
          log.push(["end", trailers]);
          resolve(log);
        },
        onResponseError: (_, error) => reject(error),
      };
      dispatcher.dispatch({ origin, path: "/", method: "GET" }, handler);
    });

  test.each([false, true])(
    "is started once and told one response, paused first: %s",
    async (pauseFirst) => {
      const server = await serve(unavailable, cookies);
      const { dispatcher } = budgetedAgent();
      expect(await send(dispatcher, server.url, pauseFirst)).toEqual([
        ["start", 1, false, null],
        ["head", 200, ["a=1", "b=2"], true],
        ...(pauseFirst ? [["paused", true]] : []),
        ["data", "done"],
        ["end", {}],
      ]);
    },
  );

  test("gets the error of the last attempt", async () => {
    const { dispatcher } = budgetedAgent();
    const error: unknown = await send(dispatcher, await refusingUrl(), false).catch(
      (e: unknown) => e,
    );
    expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
  });
});

describe("nothing is sent twice that must not be", () => {
  test("a POST that was started, whatever code its error has", async () => {
    const server = await serve((_, incoming) => incoming.socket.destroy());
    const { policy, agent } = budgetedAgent();
    const claimRefused: Dispatcher.DispatcherComposeInterceptor =
      (dispatch) => (options, handler) =>
        dispatch(options, {
          ...forwarding(handler),
          onResponseError: (controller, error) =>
            handler.onResponseError?.(controller, Object.assign(error, { code: "ECONNREFUSED" })),
          onError: (error) => handler.onError?.(Object.assign(error, { code: "ECONNREFUSED" })),
        });
    const dispatcher = agent.compose(claimRefused, retryBudget(policy));
    const error: unknown = await request(server.url, {
      dispatcher,
      method: "POST",
      body: "pay",
    }).catch((e) => e);
    expect(refusalOf(error)).toMatchObject({ refusal: "method" });
    expect(server.hits).toHaveLength(1);
  });
});

/** A handler that passes all events on in both APIs, as an interceptor of a user's would. */
function forwarding(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onConnect: (abort) => handler.onConnect?.(abort),
    onHeaders: (...head) => handler.onHeaders?.(...head) ?? true,
    onData: (chunk) => handler.onData?.(chunk) ?? true,
    onComplete: (trailers) => handler.onComplete?.(trailers),
  };
}

describe("every request ends once", () => {
  test.each<[string, (agent: Agent, policy: ReturnType<typeof createRetryPolicy>) => Dispatcher]>([
    [
      "RetryAgent",
      (agent, policy) => new RetryAgent(agent.compose(retryBudget(policy)), { maxRetries: 0 }),
    ],
    [
      "the retry interceptor",
      (agent, policy) => agent.compose(retryBudget(policy), interceptors.retry({ maxRetries: 0 })),
    ],
  ])("with %s outside, which throws at the end of a response", async (_, compose) => {
    const server = await serve(unavailable);
    const { agent, policy } = budgetedAgent();
    const result = request(server.url, { dispatcher: compose(agent, policy) });
    await expect(result).rejects.toMatchObject({ code: "UND_ERR_REQ_RETRY" });
  });

  test("with an abort in the wait and undici's dump outside, of which 6's tells nobody", async () => {
    const server = await serve(unavailable);
    const policy = createRetryPolicy({ backoff: () => 10_000 });
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(retryBudget(policy), interceptors.dump());
    const controller = new AbortController();
    const result = request(server.url, { dispatcher, signal: controller.signal });
    result.catch(() => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    controller.abort();
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
    expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
  });

  test.each([
    ["refused", { refusals: { budget: 1 } }, 0],
    ["exhausted", { retries: 0, balance: 1 }, 1],
  ])("with an abort in a listener for '%s'", async (listened, entry, initial) => {
    const server = await serve(unavailable);
    const { dispatcher, policy } = budgetedAgent({ initial, ratio: 0 });
    const controller = new AbortController();
    policy.subscribe(({ type }) => {
      if (type === listened) controller.abort();
    });
    const result = request(server.url, { dispatcher, signal: controller.signal });
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
    expect(policy.snapshot()).toMatchObject([entry]);
    expect(server.hits).toHaveLength(1);
  });
});

test("onRetry may use the socket of the response that failed", async () => {
  const server = await serve(endless, ok, ok);
  let inner: Dispatcher | undefined;
  const { dispatcher, agent } = budgetedAgent(
    {
      onRetry: async () => {
        const { body } = await request(server.url, { dispatcher: inner as Dispatcher });
        await body.dump();
      },
    },
    { connections: 1 },
  );
  inner = agent;
  const result = await request(server.url, { dispatcher });
  expect([result.statusCode, await result.body.text(), server.hits.length]).toEqual([
    200,
    "answer 200",
    3,
  ]);
});

test("hooks run in the context of their own request, not of the one that opened the socket", async () => {
  const server = await serve(ok, unavailable, ok);
  const tenant = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const see = (): undefined => {
    seen.push(tenant.getStore());
    return undefined;
  };
  const { dispatcher } = budgetedAgent(
    { classify: see, onRetry: async () => see() },
    { connections: 1 },
  );
  for (const name of ["A", "B"]) {
    await tenant.run(name, async () => (await request(server.url, { dispatcher })).body.dump());
  }
  expect(seen).toEqual(["A", "B", "B", "B"]);
});

test("the error for a retry that was given up holds its refusal", async () => {
  const server = await serve(unavailable);
  const { dispatcher } = budgetedAgent({ onRetry: () => Promise.reject(new Error("hook")) });
  const error: unknown = await request(server.url, { dispatcher }).catch((e: unknown) => e);
  expect(refusalOf(error)).toMatchObject({ refusal: "aborted", attempts: 1 });
});

test("an error that attempts share does not become its own cause", async () => {
  const mock = new MockAgent();
  mock.disableNetConnect();
  onTestFinished(() => mock.close());
  const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  mock.get("http://mocked.example").intercept({ path: "/" }).replyWithError(error).persist();
  const dispatcher = mock.compose(retryBudget({ backoff: () => 1 }));
  await expect(request("http://mocked.example/", { dispatcher })).rejects.toBe(error);
  expect(error.cause).toBeUndefined();
});
