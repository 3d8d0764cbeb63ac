import { AsyncLocalStorage } from "node:async_hooks";
import { type createRetryPolicy, refusalOf } from "@retry-budget/core";
import { type Reply, refusingUrl, serve, status } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { type Agent, type Dispatcher, interceptors, MockAgent, RetryAgent, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);
const endless: Reply = (response) => {
  response.writeHead(503).write("never ended");
};
const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};

describe("request", () => {
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
