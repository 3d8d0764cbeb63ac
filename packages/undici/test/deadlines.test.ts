import { refusalOf, runInside } from "@retry-budget/core";
import { createManualClock, type ManualClock } from "@retry-budget/core/testing";
import {
  errorOf,
  hang,
  outerOf,
  type Reply,
  reset,
  serve,
  status,
  until,
} from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { type Dispatcher, errors, request } from "undici";
import { describe, expect, test } from "vitest";
import { type BudgetedAgent, budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";

const ok = status(200);
const unavailable = status(503);
/** A response whose body never ends. */
const endless: Reply = (response) => {
  response.writeHead(200).write("begun");
};

const deadline = 100_000;
const late = { name: "HeadersTimeoutError", code: "UND_ERR_HEADERS_TIMEOUT" };
const cut = { name: "BodyTimeoutError", code: "UND_ERR_BODY_TIMEOUT" };

interface Timed extends BudgetedAgent {
  readonly clock: ManualClock;
}

function timedAgent(options: object = {}, agentOptions: object = {}): Timed {
  const clock = createManualClock();
  return { clock, ...budgetedAgent({ clock, deadline, ...options }, agentOptions) };
}

/** Resolves when the connection of the only response has been closed. */
function closedBy(reply: Reply): { reply: Reply; closed: Promise<void> } {
  let close = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  return {
    closed,
    reply: (response, incoming) => {
      response.on("close", close);
      reply(response, incoming);
    },
  };
}

test("the error is one of undici's own by its classes, and names the deadline", async () => {
  const { reply, closed } = closedBy(hang());
  const server = await serve(reply);
  const { clock, dispatcher } = timedAgent();
  const result = errorOf(request(server.url, { dispatcher, method: "POST" }));
  await server.received(1);
  clock.advance(deadline);
  const error = await result;
  expect(error).toBeInstanceOf(errors.HeadersTimeoutError);
  expect(error).toBeInstanceOf(errors.UndiciError);
  expect(error).not.toBeInstanceOf(errors.BodyTimeoutError);
  expect(error).toMatchObject({ ...late, message: "Headers Timeout Error (deadline: 100000ms)" });
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  await closed;
});

test("a body that is under way fails as one that times out; its connection is closed", async () => {
  const { reply, closed } = closedBy(endless);
  const server = await serve(reply, ok);
  const { clock, dispatcher, policy } = timedAgent({}, { connections: 1 });
  const { body } = await request(server.url, { dispatcher });
  const result = errorOf(body.text());
  clock.advance(deadline);
  const error = await result;
  expect(error).toBeInstanceOf(errors.BodyTimeoutError);
  expect(error).toMatchObject({ ...cut, message: "Body Timeout Error (deadline: 100000ms)" });
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  await closed;
  expect((await request(server.url, { dispatcher })).statusCode).toBe(200);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 0, balance: 10 }]);
});

test("a body that nobody reads holds no connection beyond the deadline", async () => {
  const { reply, closed } = closedBy((response) => {
    response.writeHead(200).write("x".repeat(1024 * 1024));
  });
  const server = await serve(reply);
  const { clock, dispatcher } = timedAgent();
  const { body } = await request(server.url, { dispatcher });
  body.on("error", () => undefined);
  clock.advance(deadline);
  await closed;
  expect(clock.pending).toBe(0);
});

describe.each(fetches)("$name", ({ fetch: anyFetch }) => {
  test.each(["GET", "POST"])(
    "rejects with its TypeError, the timeout as its cause: %s",
    async (method) => {
      const server = await serve(hang());
      const { clock, dispatcher } = timedAgent();
      const result = errorOf(anyFetch(server.url, { dispatcher, method }));
      await server.received(1);
      clock.advance(deadline);
      const error = await result;
      expect(error).toMatchObject({ name: "TypeError", message: "fetch failed", cause: late });
      expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
      expect([server.hits.length, clock.pending]).toEqual([1, 0]);
    },
  );

  test("does so where an outer call has left no time, and sends nothing", async () => {
    const server = await serve(ok);
    const { dispatcher } = timedAgent();
    const outer = outerOf({ remaining: () => -1 });
    const result = runInside(outer, () => anyFetch(server.url, { dispatcher }));
    expect(await errorOf(result)).toMatchObject({ name: "TypeError", cause: late });
    expect(server.hits).toHaveLength(0);
  });

  test("fails the reading of a body that is under way", async () => {
    const server = await serve(endless);
    const { clock, dispatcher } = timedAgent();
    const response = await anyFetch(server.url, { dispatcher });
    const result = errorOf(response.text());
    clock.advance(deadline);
    const error = await result;
    expect([error, error.cause]).toContainEqual(expect.objectContaining(cut));
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
  });
});

test("a request in the queue is over at the deadline: it counts as none and is never sent", async () => {
  let answer = (): void => undefined;
  const server = await serve((response) => {
    answer = () => response.end("at last");
  }, ok);
  const { clock, dispatcher, policy } = timedAgent({}, { connections: 1 });
  const first = request(server.url, { dispatcher, retryBudget: { deadline: 2 * deadline } });
  await server.received(1);
  const queued = errorOf(request(server.url, { dispatcher }));
  clock.advance(deadline);
  const error = await queued;
  expect(error).toMatchObject(late);
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
  answer();
  await (await first).body.text();
  const { body } = await request(server.url, { dispatcher });
  await body.text();
  expect(server.hits).toHaveLength(2);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 0, balance: 10 }]);
});

test("a retry in the queue is over at the deadline, and its token is back", async () => {
  const server = await serve(unavailable, hang());
  const { clock, dispatcher, policy } = timedAgent({}, { connections: 1 });
  const first = errorOf(request(server.url, { dispatcher }));
  await until(() => policy.snapshot()[0]?.balance === 9 && clock.pending === 1);
  const second = errorOf(request(server.url, { dispatcher, retryBudget: { deadline: 2e6 } }));
  await server.received(2);
  clock.advance(1);
  await until(() => clock.pending === 2);
  clock.advance(deadline);
  expect(await first).toMatchObject(late);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 0, balance: 10 }]);
  clock.advance(2e6);
  expect(await second).toMatchObject(late);
  expect([server.hits.length, clock.pending]).toEqual([2, 0]);
});

test("a deadline in the wait gives the timeout, and as its cause the response that was let go", async () => {
  const server = await serve(unavailable);
  const { clock, dispatcher, policy } = timedAgent({ backoff: () => 1000 });
  const result = errorOf(request(server.url, { dispatcher }));
  await until(() => policy.snapshot()[0]?.balance === 9 && clock.pending === 1);
  // A process that was stopped meanwhile: the wait ends after its time.
  clock.now = () => 2 * deadline;
  clock.advance(1000);
  const error = await result;
  expect(error).toBeInstanceOf(errors.HeadersTimeoutError);
  expect(error).toMatchObject({ ...late, cause: { statusCode: 503 } });
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  expect(policy.snapshot()).toMatchObject([{ retries: 0, balance: 10 }]);
});

describe("no timer is left", () => {
  test.each<[string, Reply, (url: string, options: object) => Promise<unknown>]>([
    ["an error", reset(), (url, options) => request(url, { ...options, method: "POST" })],
    [
      "an abort in flight",
      (response) => void response.writeContinue(),
      (url, options) => request(url, { ...options, signal: AbortSignal.timeout(50) }),
    ],
    [
      "a body that its caller destroys",
      endless,
      async (url, options) => {
        const { body } = await request(url, options);
        body.on("error", () => undefined).destroy();
      },
    ],
    [
      "a request that cannot be sent",
      ok,
      (url, options) => request(url, { ...options, headers: ["odd"] } as never),
    ],
  ])("after %s", async (_, reply, send) => {
    const server = await serve(reply);
    const { clock, dispatcher } = timedAgent();
    await send(server.url, { dispatcher }).catch(() => undefined);
    await until(() => clock.pending === 0);
  });

  test("after a dispatcher that throws", async () => {
    const { clock, policy } = timedAgent();
    const dispatch = retryBudget(policy)(() => {
      throw new Error("broken");
    });
    const options = { origin: "http://127.0.0.1:1", path: "/", method: "GET" } as const;
    expect(() => dispatch(options, {})).toThrow("broken");
    expect(clock.pending).toBe(0);
  });
});

describe("a handler is told of the deadline once, and of nothing after it", () => {
  type Handler = Parameters<Dispatcher["dispatch"]>[1];
  const apis: [string, (log: string[]) => object][] = [
    [
      "legacy",
      (log) => ({
        onConnect: () => log.push("start"),
        onHeaders: () => log.push("head") > 0,
        onData: () => log.push("data") > 0,
        onComplete: () => log.push("end"),
        onError: ({ name }: Error) => log.push(name),
      }),
    ],
    [
      "modern",
      (log) => ({
        onRequestStart: () => log.push("start"),
        onResponseStart: () => log.push("head"),
        onResponseData: () => log.push("data"),
        onResponseEnd: () => log.push("end"),
        onResponseError: (_: unknown, { name }: Error) => log.push(name),
      }),
    ],
  ];

  describe.each(apis)("by the %s API", (_, handlerFor) => {
    test.each<[string, Reply, string[]]>([
      ["in flight", hang(), ["start", "HeadersTimeoutError"]],
      ["in the body", endless, ["start", "head", "data", "BodyTimeoutError"]],
    ])("%s", async (__, reply, expected) => {
      const server = await serve(reply);
      const { agent, clock, policy } = timedAgent();
      const log: string[] = [];
      // Not composed: undici 6 takes no modern handler, 8 no legacy one; ours takes both.
      const dispatch = retryBudget(policy)(agent.dispatch.bind(agent));
      const options = { origin: server.url, path: "/", method: "GET" } as const;
      expect(dispatch(options, handlerFor(log) as Handler)).toBe(true);
      await server.received(1);
      await until(() => log.length === expected.length - 1);
      clock.advance(deadline);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(log).toEqual(expected);
    });

    test("before it is sent: no start, and nothing is busy", async () => {
      const { agent, policy } = timedAgent();
      const log: string[] = [];
      const dispatch = retryBudget(policy)(agent.dispatch.bind(agent));
      const options = { origin: "http://127.0.0.1:1", path: "/", method: "GET" } as const;
      const outer = outerOf({ remaining: () => 0 });
      const isFree = runInside(outer, () => dispatch(options, handlerFor(log) as Handler));
      expect([isFree, log]).toEqual([true, ["HeadersTimeoutError"]]);
    });
  });
});
