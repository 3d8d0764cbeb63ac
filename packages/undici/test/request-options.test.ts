import { serve, status } from "@retry-budget/testkit";
import { requestOptions } from "@retry-budget/undici";
import { requestOptions as requestOptionsOfGlobal } from "@retry-budget/undici/global";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { type BudgetedAgent, budgetedAgent } from "./budgeted-agent.js";
import { senders } from "./senders.js";

type RequestOptions = Parameters<typeof requestOptions>[0];

const unavailable = status(503);

function budgetedWith(own: RequestOptions): BudgetedAgent {
  const { dispatcher, ...rest } = budgetedAgent();
  return { ...rest, dispatcher: dispatcher.compose(requestOptions(own)) };
}

describe.each(senders)("requestOptions under $name", ({ send }) => {
  test("of false opts every request out", async () => {
    const server = await serve(unavailable);
    const { dispatcher, policy } = budgetedWith(false);
    const received = await send(server.url, { dispatcher });
    expect([received.status, await received.text()]).toEqual([503, "answer 503"]);
    expect([server.hits.length, policy.snapshot()]).toEqual([1, []]);
  });

  test("of { maxAttempts } gives every request that many", async () => {
    const server = await serve(unavailable);
    const { dispatcher, policy } = budgetedWith({ maxAttempts: 2 });
    const received = await send(server.url, { dispatcher });
    expect([received.status, await received.text()]).toEqual([503, "answer 503"]);
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ retries: 1, refusals: { attempts: 1 } }]);
  });
});

describe("request", () => {
  const hitsWith = async (composed: RequestOptions, own: object): Promise<number> => {
    const server = await serve(unavailable);
    const { dispatcher } = budgetedWith(composed);
    await (await request(server.url, { dispatcher, ...own })).body.dump();
    return server.hits.length;
  };

  test.each<[RequestOptions, RequestOptions, number]>([
    [false, { maxAttempts: 2 }, 2],
    [{ maxAttempts: 2 }, false, 1],
    [{ maxAttempts: 2 }, { maxAttempts: 1 }, 1],
  ])("under requestOptions(%j) goes by its own, %j: %d sent", async (composed, own, hits) => {
    expect(await hitsWith(composed, { retryBudget: own })).toBe(hits);
  });

  test.each<[RequestOptions, number]>([
    [false, 1],
    [{ maxAttempts: 2 }, 2],
  ])(
    "under requestOptions(%j) goes by these where its own are undefined: %d sent",
    async (composed, hits) => {
      expect(await hitsWith(composed, { retryBudget: undefined })).toBe(hits);
    },
  );
});

test.each<[unknown, string]>([
  [
    { attempts: 2 },
    "Unknown option `attempts` (2) in `retryBudget`. " +
      "Known options: idempotent, maxAttempts, deadline, key, body.",
  ],
  [
    { maxAttempts: 0 },
    "Expected `retryBudget.maxAttempts` to be a whole number from 1 to 9007199254740991, got 0.",
  ],
  [true, "Expected `retryBudget` to be an object, got true."],
])("requestOptions(%j) is a TypeError at set-up that names it", (options, message) => {
  expect(() => requestOptions(options as never)).toThrow(new TypeError(message));
});

test("both entries have the same requestOptions", () => {
  expect(requestOptionsOfGlobal).toBe(requestOptions);
});
