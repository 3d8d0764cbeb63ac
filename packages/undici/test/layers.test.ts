import { type Reply, reset, serve, status, warningsDuring } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import {
  type Agent,
  type Dispatcher,
  interceptors,
  RetryAgent,
  type RetryHandler,
  request,
} from "undici";
import { describe, expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { undiciMajor } from "./undici-major.js";

type Interceptor = Dispatcher.DispatcherComposeInterceptor;
type Compose = (
  agent: Agent,
  budget: Interceptor,
  options: RetryHandler.RetryOptions,
) => Dispatcher;

const outside: [string, Compose][] = [
  [
    "interceptors.retry",
    (agent, budget, options) => agent.compose(budget, interceptors.retry(options)),
  ],
  ["RetryAgent", (agent, budget, options) => new RetryAgent(agent.compose(budget), options)],
];
const inside: [string, Compose][] = [
  [
    "interceptors.retry",
    (agent, budget, options) => agent.compose(interceptors.retry(options), budget),
  ],
  ["RetryAgent", (agent, budget, options) => new RetryAgent(agent, options).compose(budget)],
];

// Two retries, as the budget allows.
const quick = { maxRetries: 2, minTimeout: 1, maxTimeout: 1 };
const unthrowing = { ...quick, throwOnError: false } as RetryHandler.RetryOptions;

interface Sent {
  readonly hits: number;
  readonly originals: number;
  readonly retries: number;
}

/** What one failing request comes to, at the server and in the budget. */
async function send(
  compose: Compose,
  options: RetryHandler.RetryOptions,
  reply: Reply,
): Promise<Sent> {
  const server = await serve(reply);
  const { agent, policy } = budgetedAgent();
  const dispatcher = compose(agent, retryBudget(policy), options);
  await request(server.url, { dispatcher }).then(
    ({ body }) => body.dump(),
    () => undefined,
  );
  const [{ originals = 0, retries = 0 } = {}] = policy.snapshot();
  return { hits: server.hits.length, originals, retries };
}

describe.each(outside)("%s of undici outside the budget", (_, compose) => {
  test.each<[string, Reply]>([
    ["status", status(503)],
    ["reset", reset()],
  ])(
    "makes nine hits of a lasting %s, which the budget takes for three originals",
    async (_, reply) => {
      const nine = { hits: 9, originals: 3, retries: 6 };
      expect(await send(compose, quick, reply)).toEqual(nine);
      expect(await send(compose, unthrowing, reply)).toEqual(nine);
    },
  );
});

describe.each(inside)("%s of undici inside the budget", (_, compose) => {
  test("makes three hits of a lasting status, and an error that the budget does not retry", async () => {
    const three = { hits: 3, originals: 1, retries: 0 };
    expect(await send(compose, quick, status(503))).toEqual(three);
  });

  test("that does not throw makes nine hits of it, of which the budget sees three", async () => {
    // undici 6 throws all the same.
    const [hits, retries] = undiciMajor === 6 ? [3, 0] : [9, 2];
    const sent = { hits, originals: 1, retries };
    expect(await send(compose, unthrowing, status(503))).toEqual(sent);
  });

  test("makes nine hits of a lasting reset, of which the budget sees three", async () => {
    const nine = { hits: 9, originals: 1, retries: 2 };
    expect(await send(compose, quick, reset())).toEqual(nine);
  });
});

describe("a second layer that retries", () => {
  const warned = async (compose: Compose, reply: Reply): Promise<unknown[]> => {
    const server = await serve(reply);
    const { agent, policy } = budgetedAgent();
    return warningsDuring(async () => {
      const dispatcher = compose(agent, retryBudget(policy), quick);
      for (const _ of [1, 2]) await request(server.url, { dispatcher }).catch(() => undefined);
    });
  };

  const everywhere = [
    ...outside.map(([name, compose]) => [`${name} outside`, compose] as const),
    ...inside.map(([name, compose]) => [`${name} inside`, compose] as const),
  ];

  test.each(everywhere)("is warned about once at a status: %s", async (_, compose) => {
    expect(await warned(compose, status(503))).toEqual(["RETRY_BUDGET_LAYER"]);
  });

  test.each(everywhere)("is warned about once at a reset: %s", async (name, compose) => {
    // Of a RetryAgent undici 6 shows nothing but the status that it gives up on.
    const isHidden = undiciMajor === 6 && name === "RetryAgent inside";
    expect(await warned(compose, reset())).toEqual(isHidden ? [] : ["RETRY_BUDGET_LAYER"]);
  });

  test("is not warned about where there is none", async () => {
    const alone: Compose = (agent, budget) => agent.compose(budget);
    expect(await warned(alone, status(503))).toEqual([]);
    expect(await warned(alone, reset())).toEqual([]);
  });
});
