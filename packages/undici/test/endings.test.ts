import { EventEmitter, once } from "node:events";
import type { RetryPolicy } from "@retry-budget/core";
import { errorOf, type Reply, refusingUrl, serve, status, until } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, fetch, interceptors, RetryAgent, request } from "undici";
import { describe, expect, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);

describe("an agent that ends in the wait", () => {
  test.each<[string, (agent: Agent) => Promise<void>]>([
    ["destroyed", (agent) => agent.destroy()],
    ["closed", (agent) => agent.close()],
  ])("%s: the retry fails, the first failure is the cause, the token is back", async (_, end) => {
    const server = await serve(unavailable);
    const { dispatcher, agent, policy } = budgetedAgent({ backoff: () => 300 });
    const result = errorOf(request(server.url, { dispatcher }));
    await until(() => policy.snapshot()[0]?.balance === 9);
    // Does not wait for a request that is between two attempts.
    await end(agent);
    expect(await result).toMatchObject({ code: "UND_ERR_DESTROYED", cause: { statusCode: 503 } });
    expect(server.hits).toHaveLength(1);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });
});

describe("a caller that does not want the body of the answer to a retry", () => {
  /** Never ends by itself; tells when its connection does. */
  const endless = (): { reply: Reply; closed: Promise<unknown> } => {
    const events = new EventEmitter();
    const reply: Reply = (response) => {
      response.on("close", () => events.emit("closed"));
      response.writeHead(200).write("x".repeat(64 * 1024));
    };
    return { reply, closed: once(events, "closed") };
  };

  test.each<[string, (url: string, dispatcher: Dispatcher) => Promise<void>]>([
    [
      "destroys it",
      async (url, dispatcher) => {
        const { body } = await request(url, { dispatcher });
        body.on("error", () => undefined).destroy();
      },
    ],
    [
      "destroys it while it is read",
      async (url, dispatcher) => {
        const { body } = await request(url, { dispatcher });
        for await (const _ of body) break;
      },
    ],
    [
      "dumps it, and it is too long",
      async (url, dispatcher) => {
        const { body } = await request(url, { dispatcher });
        await body.dump({ limit: 1024 });
      },
    ],
    [
      "cancels it, with fetch",
      async (url, dispatcher) => {
        const { body } = await fetch(url, { dispatcher });
        await body?.cancel();
      },
    ],
  ])("%s: the response is broken off, and the next request is served", async (_, leave) => {
    const { reply, closed } = endless();
    const server = await serve(unavailable, reply, ok);
    const { dispatcher, policy } = budgeted(new Agent({ connections: 1 }));
    await leave(server.url, dispatcher);
    await closed;
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 1, refusals: {} }]);
  });

  test("dumps it, and it is short: the connection is kept", async () => {
    const sockets = new Set<unknown>();
    const short: Reply = (response, { socket }) => {
      sockets.add(socket);
      response.end("x".repeat(16 * 1024));
    };
    const server = await serve(unavailable, short);
    const { dispatcher } = budgeted(new Agent({ connections: 1 }));
    for (const _ of [1, 2]) await (await request(server.url, { dispatcher })).body.dump();
    expect([server.hits.length, sockets.size]).toEqual([3, 1]);
  });
});

describe("a handler is told one end, and nothing after it", () => {
  const told = {
    wait: ["error"],
    refused: ["error"],
    "refused without a response": ["error"],
    exhausted: ["error"],
    data: ["head", "data", "error"],
    end: ["head", "data", "end"],
  };

  test.each(Object.entries(told))("when its caller aborts at: %s", async (moment, expected) => {
    const server = await serve(expected.includes("head") ? ok : unavailable);
    const origin = moment.endsWith("response") ? await refusingUrl() : server.url;
    const initial = moment.startsWith("refused") ? 0 : 1;
    const { dispatcher, policy } = budgetedAgent({ initial, ratio: 0, backoff: () => 60_000 });
    const log: string[] = [];
    let abort = (): void => undefined;
    const at = (name: string): void => {
      log.push(name);
      if (name === moment) abort();
    };
    policy.subscribe(({ type }) => {
      if (moment.startsWith(type)) abort();
    });
    dispatcher.dispatch(
      { origin, path: "/", method: "GET" },
      {
        onRequestStart: (controller) => {
          abort = () => controller.abort(new Error("enough"));
        },
        onResponseStart: () => at("head"),
        onResponseData: () => at("data"),
        onResponseEnd: () => at("end"),
        onResponseError: () => log.push("error"),
      },
    );
    if (moment === "wait") {
      await until(() => policy.snapshot()[0]?.balance === 0);
      abort();
      abort();
    }
    await until(() => log.includes("error") || log.includes("end"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(log).toEqual(expected);
  });
});

describe("every request ends once", () => {
  test.each<[string, (agent: Agent, policy: RetryPolicy) => Dispatcher]>([
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
