import { gzipSync } from "node:zlib";
import { refusalOf } from "@retry-budget/core";
import {
  errorOf,
  type Reply,
  refusingUrl,
  serve,
  status,
  until,
  warningsDuring,
} from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { type Dispatcher, interceptors, request } from "undici";
import { describe, expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);

describe("redirect", () => {
  const redirect = interceptors.redirect({ maxRedirections: 2 });

  test("outside the budget: only the hop that fails is retried, and its origin is charged", async () => {
    const target = await serve(unavailable, ok);
    const server = await serve(status(302, { location: `${target.url}/there` }));
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), redirect);
    const result = await request(server.url, { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "answer 200"]);
    expect([server.hits.length, target.hits.length]).toEqual([1, 2]);
    expect(policy.snapshot()).toMatchObject([
      { origin: server.url, originals: 1, balance: 10 },
      { origin: target.url, originals: 1, balance: 9 },
    ]);
  });

  test.skipIf(undiciMajor === 6)(
    "outside the budget: the refusal is found on the result (undici 7 and 8: 6 drops the context)",
    async () => {
      const target = await serve(unavailable);
      const server = await serve(status(302, { location: target.url }));
      const { agent, policy } = budgetedAgent({ initial: 0 });
      const dispatcher = agent.compose(retryBudget(policy), redirect);
      const result = await request(server.url, { dispatcher });
      await result.body.dump();
      expect(refusalOf(result)).toMatchObject({ refusal: "budget", origin: target.url });
    },
  );

  test("inside the budget: the chain is sent again as a whole, at its first origin's cost", async () => {
    const target = await serve(unavailable, ok);
    const server = await serve(status(302, { location: `${target.url}/there` }));
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(redirect, retryBudget(policy));
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect([server.hits.length, target.hits.length]).toEqual([2, 2]);
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
  });

  test.each([
    ["inside the budget is warned about once", true, ["RETRY_BUDGET_LAYER"]],
    ["outside the budget is as it should be: no warning", false, []],
  ])("%s", async (_, isInside, expected) => {
    const target = await serve(unavailable, ok, unavailable, ok);
    const server = await serve(status(302, { location: `${target.url}/there` }));
    const { policy, agent } = budgetedAgent();
    const warnings = await warningsDuring(async () => {
      const chain = [redirect, retryBudget(policy)];
      const dispatcher = agent.compose(isInside ? chain : chain.reverse());
      for (const _ of [1, 2]) await (await request(server.url, { dispatcher })).body.dump();
    });
    expect(target.hits).toHaveLength(4);
    expect(warnings).toEqual(expected);
  });
});

describe.skipIf(undiciMajor === 6)("responseError (undici 7 and 8)", () => {
  test("outside the budget: an error is made of the last response", async () => {
    const server = await serve(unavailable, ok, unavailable);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), interceptors.responseError());
    const { statusCode, body } = await request(server.url, { dispatcher });
    await body.dump();
    expect([statusCode, server.hits.length]).toEqual([200, 2]);
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(error).toMatchObject({ code: "UND_ERR_RESPONSE", statusCode: 503 });
    expect(server.hits).toHaveLength(5);
  });

  test("inside the budget: no status is seen, and nothing is retried", async () => {
    const server = await serve(unavailable, ok);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(interceptors.responseError(), retryBudget(policy));
    const error = await errorOf(request(server.url, { dispatcher }));
    expect(error).toMatchObject({ code: "UND_ERR_RESPONSE", statusCode: 503 });
    expect(refusalOf(error)).toMatchObject({ refusal: "permanent", attempts: 1 });
    expect(server.hits).toHaveLength(1);
  });
});

describe("dns", () => {
  const origin = (url: string): string => url.replace("127.0.0.1", "service.example");
  const dns = (...urls: string[]): ReturnType<typeof interceptors.dns> =>
    interceptors.dns({
      // With both families undici 6 asks a refusing address again for ever.
      dualStack: false,
      affinity: 4,
      lookup: (_, __, done) => {
        const records = urls.map((url) => ({
          address: "127.0.0.1",
          port: Number(new URL(url).port),
        }));
        done(null, records.map((record) => ({ ...record, family: 4, ttl: 10_000 })) as never);
      },
    });

  test("inside the budget: the budget is the name's, and a retry may go to another address (undici #3901)", async () => {
    const [down, up] = await Promise.all([serve(unavailable), serve(ok)]);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(dns(down.url, up.url), retryBudget(policy));
    const { statusCode, body } = await request(origin(down.url), { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect([down.hits.length, up.hits.length]).toEqual([1, 1]);
    expect(policy.snapshot()).toMatchObject([{ origin: origin(down.url), retries: 1 }]);
  });

  test("inside the budget: an address that refuses connections is at the name's cost (undici #3901)", async () => {
    const url = await refusingUrl();
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(dns(url), retryBudget(policy));
    const error = await errorOf(request(origin(url), { dispatcher, method: "POST" }));
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    expect(policy.snapshot()).toMatchObject([{ origin: origin(url), retries: 2 }]);
  });

  test("outside the budget: it works, and the budget is the address's (undici #3901)", async () => {
    const server = await serve(unavailable, ok);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), dns(server.url));
    const { statusCode, body } = await request(origin(server.url), { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    expect(policy.snapshot()).toMatchObject([{ origin: server.url, originals: 1, retries: 1 }]);
  });
});

describe("dump outside the budget", () => {
  test("drops the body of the last response", async () => {
    const server = await serve(unavailable, ok);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), interceptors.dump());
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text(), server.hits.length]).toEqual([200, "", 2]);
  });

  test("leaves a caller's abort in the wait its effect, also that of undici 6, which tells nobody", async () => {
    const server = await serve(unavailable);
    const { policy, agent } = budgetedAgent({ backoff: () => 10_000 });
    const dispatcher = agent.compose(retryBudget(policy), interceptors.dump());
    const controller = new AbortController();
    const result = request(server.url, { dispatcher, signal: controller.signal });
    result.catch(() => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    controller.abort();
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
    expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
  });
});

describe.skipIf(undiciMajor === 6)("cache, decompress and deduplicate (undici 7 and 8)", () => {
  test("cache outside the budget: a hit earns nothing", async () => {
    const server = await serve(unavailable, status(200, { "cache-control": "max-age=60" }));
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), interceptors.cache());
    for (const _ of [1, 2, 3]) {
      const { statusCode, body } = await request(server.url, { dispatcher });
      expect([statusCode, await body.text()]).toEqual([200, "answer 200"]);
    }
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });

  test("decompress outside the budget: the answer to a retry is decoded", async () => {
    const zipped: Reply = (response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("unzipped"));
    };
    const server = await serve(unavailable, zipped);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), interceptors.decompress());
    const { statusCode, body } = await request(server.url, { dispatcher });
    expect([statusCode, await body.text(), server.hits.length]).toEqual([200, "unzipped", 2]);
  });

  const twoAtOnce = (url: string, dispatcher: Dispatcher): Promise<[number, string][]> =>
    Promise.all(
      [1, 2].map(async (): Promise<[number, string]> => {
        const { statusCode, body } = await request(url, { dispatcher });
        return [statusCode, await body.text()];
      }),
    );

  test("deduplicate outside the budget: two at once are one original, and both end (undici PR #5817)", async () => {
    const server = await serve(unavailable, ok);
    const { policy, agent } = budgetedAgent();
    const dispatcher = agent.compose(retryBudget(policy), interceptors.deduplicate());
    const answer = [200, "answer 200"];
    expect(await twoAtOnce(server.url, dispatcher)).toEqual([answer, answer]);
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });

  test("deduplicate inside the budget: two at once are two originals, and both end (undici PR #5817)", async () => {
    const { policy, agent } = budgetedAgent();
    // The second retry has joined the first by then.
    const late: Reply = async (response) => {
      await until(() => policy.snapshot()[0]?.retries === 2);
      response.end("late");
    };
    const server = await serve(unavailable, late);
    const dispatcher = agent.compose(interceptors.deduplicate(), retryBudget(policy));
    const answer = [200, "late"];
    expect(await twoAtOnce(server.url, dispatcher)).toEqual([answer, answer]);
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 2 }]);
  });
});
