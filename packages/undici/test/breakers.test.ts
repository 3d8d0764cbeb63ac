import { Writable } from "node:stream";
import { refusalOf } from "@retry-budget/core";
import {
  errorOf,
  hang,
  type Reply,
  serve,
  status,
  ToldBreaker,
  truncate,
  until,
} from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { interceptors, request, stream } from "undici";
import { describe, expect, test } from "vitest";
import { type BudgetedAgent, budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";
import { senders } from "./senders.js";

const ok = status(200);
const unavailable = status(503);

interface Guarded extends BudgetedAgent {
  readonly breaker: ToldBreaker;
}

function guarded(options: object = {}, agentOptions: object = {}, passes?: number): Guarded {
  const breaker = new ToldBreaker(passes);
  const breakers = { of: () => breaker };
  return { breaker, ...budgetedAgent({ breakers, ...options }, agentOptions) };
}

describe.each(fetches)("$name", ({ fetch: anyFetch }) => {
  test("rejects with its TypeError, the breaker's own error as its cause", async () => {
    const server = await serve(ok);
    const { breaker, dispatcher } = guarded();
    breaker.isOpen = true;
    const error = await errorOf(anyFetch(server.url, { dispatcher }));
    expect([error.name, error.cause]).toEqual(["TypeError", breaker.error]);
    expect(refusalOf(error)).toMatchObject({ refusal: "breaker", attempts: 0 });
    expect(server.hits).toHaveLength(0);
  });
});

test("request rejects with the breaker's own error", async () => {
  const { breaker, dispatcher, policy } = guarded();
  breaker.isOpen = true;
  expect(await errorOf(request("http://127.0.0.1:1", { dispatcher }))).toBe(breaker.error);
  expect(policy.snapshot()).toMatchObject([{ originals: 0, refusals: { breaker: 1 } }]);
});

test("a circuit that opens in the wait: the response was let go, and the error names its status", async () => {
  const server = await serve(unavailable);
  const { breaker, dispatcher, policy } = guarded({}, {}, 1);
  const error = await errorOf(request(server.url, { dispatcher }));
  expect(error).toMatchObject({ code: "RETRY_BUDGET_ABANDONED", statusCode: 503 });
  expect(refusalOf(error)).toMatchObject({ refusal: "breaker", attempts: 1 });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  expect([server.hits.length, breaker.told]).toEqual([1, ["failure"]]);
});

describe("each end is told once:", () => {
  test.each(senders)("a body that breaks off after its headers, by $name", async ({ send }) => {
    const server = await serve(truncate());
    const { breaker, dispatcher } = guarded();
    const received = await send(server.url, { dispatcher });
    await errorOf(received.text());
    expect(breaker.told).toEqual(["success"]);
  });

  test("a stream whose first response is not the one that is delivered", async () => {
    const server = await serve(unavailable, ok);
    const { breaker, dispatcher } = guarded();
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    await stream(server.url, { dispatcher, method: "GET" }, () => nowhere);
    expect(breaker.told).toEqual(["failure", "success"]);
  });

  test("a redirect, of which each hop is a request of its own", async () => {
    const server = await serve(status(302, { location: "/there" }), unavailable, ok);
    const { agent, breaker, policy } = guarded();
    const redirect = interceptors.redirect({ maxRedirections: 1 });
    const dispatcher = agent.compose(retryBudget(policy), redirect);
    expect((await request(server.url, { dispatcher })).statusCode).toBe(200);
    expect(breaker.told).toEqual(["success", "failure", "success"]);
  });

  test("an abort in the queue, of which undici 6 and 7 hear when its turn comes", async () => {
    let answer = (): void => undefined;
    const server = await serve((response) => {
      answer = () => response.end("at last");
    });
    const { breaker, dispatcher } = guarded({}, { connections: 1 });
    const first = request(server.url, { dispatcher });
    await server.received(1);
    const controller = new AbortController();
    const queued = errorOf(request(server.url, { dispatcher, signal: controller.signal }));
    controller.abort();
    answer();
    await (await first).body.text();
    expect(await queued).toMatchObject({ name: "AbortError" });
    expect([server.hits.length, breaker.told.toSorted()]).toEqual([1, ["nothing", "success"]]);
  });

  test("a retry that is aborted in the queue", async () => {
    const server = await serve(unavailable, hang());
    const { breaker, dispatcher, policy } = guarded({ backoff: () => 100 }, { connections: 1 });
    const controller = new AbortController();
    const result = errorOf(request(server.url, { dispatcher, signal: controller.signal }));
    await until(() => policy.snapshot()[0]?.balance === 9);
    const second = errorOf(request(server.url, { dispatcher }));
    await server.received(2);
    // Three were let pass, and one has ended: the retry is handed over.
    await until(() => breaker.passed === 3);
    controller.abort();
    expect(await result).toMatchObject({ name: "AbortError" });
    expect(breaker.told).toEqual(["failure", "nothing"]);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
    await dispatcher.destroy();
    await second;
  });

  test.each<[string, Reply, object]>([
    ["a request that undici does not take", ok, { headers: ["odd"] }],
    ["a hook that throws", unavailable, {}],
  ])("%s", async (name, reply, options) => {
    const server = await serve(reply);
    const onRetry = (): Promise<void> => Promise.reject(new Error("hook"));
    const { breaker, dispatcher } = guarded({ onRetry });
    await errorOf(request(server.url, { dispatcher, ...options } as never));
    expect(breaker.told).toEqual([name.includes("hook") ? "failure" : "nothing"]);
  });

  test("a dispatcher that throws", () => {
    const { breaker, policy } = guarded();
    const dispatch = retryBudget(policy)(() => {
      throw new Error("broken");
    });
    const options = { origin: "http://127.0.0.1:1", path: "/", method: "GET" } as const;
    expect(() => dispatch(options, {})).toThrow("broken");
    expect(breaker.told).toEqual(["nothing"]);
  });

  test("an agent that is closed in the wait", async () => {
    const server = await serve(unavailable);
    const { agent, breaker, dispatcher, policy } = guarded({ backoff: () => 300 });
    const result = errorOf(request(server.url, { dispatcher }));
    await until(() => policy.snapshot()[0]?.balance === 9);
    await agent.close();
    expect(await result).toMatchObject({ code: "UND_ERR_DESTROYED" });
    expect(breaker.told).toEqual(["failure", "nothing"]);
  });

  test("a deadline, in flight and in the queue", async () => {
    const server = await serve(hang());
    const { breaker, dispatcher, policy } = guarded({ deadline: 300 }, { connections: 1 });
    const sent = [1, 2].map(() => errorOf(request(server.url, { dispatcher })));
    for (const error of await Promise.all(sent)) {
      expect(error).toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
    }
    expect(breaker.told).toEqual(["failure", "failure"]);
    expect(policy.snapshot()).toMatchObject([{ originals: 1 }]);
  });
});

test.each([undefined, null, "open"])(
  "a breaker that throws %s is an error to request",
  async (thrown) => {
    const server = await serve(ok);
    const pass = (): never => {
      throw thrown;
    };
    const { dispatcher } = budgetedAgent({ breakers: { of: () => ({ isOpen: false, pass }) } });
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(error).toMatchObject({ cause: thrown });
    expect(refusalOf(error)).toMatchObject({ refusal: "breaker" });
    expect(server.hits).toEqual([]);
  },
);
