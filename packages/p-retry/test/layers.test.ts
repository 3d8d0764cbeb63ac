import { AsyncLocalStorage } from "node:async_hooks";
import {
  createRetryPolicy,
  outerCall,
  type RetryPolicy,
  type RetryPolicyOptions,
  refusalOf,
  runInside,
} from "@retry-budget/core";
import { errorOf, outerOf, serve, status, until } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";

class StatusError extends Error {}

const unavailable = status(503);

/** A client inside: fetch under a policy of its own, by core alone. */
function inner(options: RetryPolicyOptions = {}) {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  const get = (url: string): Promise<Response> =>
    policy.run<Response>(
      { client: "inner", method: "GET", url, isReplayable: () => true },
      {
        send: async () => {
          const response = await fetch(url);
          await response.arrayBuffer();
          if (response.ok) return response;
          throw Object.assign(new StatusError(`status ${response.status}`), {
            status: response.status,
          });
        },
        outcomeOf: (settled) =>
          "error" in settled
            ? { error: settled.error, status: Object(settled.error).status }
            : { status: settled.value.status },
        onAbort: () => () => undefined,
        abortError: () => new Error("aborted"),
        expire: () => new Error("the inner client's timeout"),
        discard: () => undefined,
      },
    );
  return { policy, get, net: () => netOf(policy) };
}

function netOf(policy: RetryPolicy): number[][] {
  return policy.snapshot().map(({ originals, retries, balance }) => [originals, retries, balance]);
}

describe("p-retry around a client that has a budget", () => {
  test("retries alone: 3 attempts and not 9, and the budget inside is untouched", async () => {
    const server = await serve(unavailable);
    const { retry, net } = fixture();
    const client = inner();
    const refusals: unknown[] = [];
    client.policy.subscribe((event) => event.type === "refused" && refusals.push(event.refusal));
    const error = await errorOf(retry(() => client.get(server.url), quick));
    expect(error).toBeInstanceOf(StatusError);
    // The last word on it is that of the layer that retries.
    expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
    expect(server.hits).toHaveLength(3);
    expect(net()).toEqual([[1, 2, 8]]);
    expect([client.net(), refusals]).toEqual([[[0, 0, 10]], ["layer", "layer", "layer"]]);
  });

  test("makes 1.1 attempts of each original in an outage", async () => {
    const server = await serve(unavailable);
    const { retry } = fixture();
    const client = inner();
    for (let call = 0; call < 100; call++) {
      await errorOf(retry(() => client.get(server.url), quick));
    }
    expect(server.hits.length).toBeLessThanOrEqual(100 + 10 + 100 * 0.1);
    expect(client.net()).toEqual([[0, 0, 10]]);
  });

  test.each([
    ["with `retries: 0`", { retries: 0 }],
    ["with `retryBudget: false`", { retries: 0, retryBudget: false as const }],
    ["with one attempt allowed", { ...quick, retryBudget: { maxAttempts: 1 } }],
  ])("leaves the retries to it %s", async (_, options) => {
    const server = await serve(unavailable);
    const { retry } = fixture();
    const client = inner();
    await errorOf(retry(() => client.get(server.url), options));
    expect(server.hits).toHaveLength(3);
    expect(client.net()).toEqual([[1, 2, 8]]);
  });

  test("that says `oneLayer: false` leaves both of them their retries", async () => {
    for (const sides of [
      [{ oneLayer: false }, {}],
      [{}, { oneLayer: false }],
    ]) {
      const server = await serve(unavailable);
      const { retry } = fixture({ maxAttempts: 2, ...sides[0] });
      const client = inner({ maxAttempts: 2, ...sides[1] });
      await errorOf(retry(() => client.get(server.url), quick));
      expect(server.hits).toHaveLength(4);
    }
  });

  test("covers what callbacks call: a token fetched in onFailedAttempt is no original", async () => {
    const server = await serve(unavailable);
    const { retry, fail } = fixture();
    const client = inner();
    const onFailedAttempt = async (): Promise<void> => {
      await errorOf(client.get(server.url));
    };
    await errorOf(retry(fail, { ...quick, retries: 1, onFailedAttempt }));
    // p-retry 5 and 6 may tell of a failure once more.
    expect(server.hits.length).toBe(2);
    expect(client.net()).toEqual([[0, 0, 10]]);
  });

  test("tells it which attempt of its own is under way", async () => {
    const { retry } = fixture();
    const seen: unknown[] = [];
    const operation = async (): Promise<never> => {
      await Promise.resolve();
      seen.push([outerCall()?.isRetried, outerCall()?.attempt]);
      throw new Error("E");
    };
    await errorOf(retry(operation, quick));
    expect(seen).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
    ]);
  });
});

test("of p-retry inside p-retry the outer one retries, and what it is inside of is told by its callbacks, too", async () => {
  const outer = fixture();
  const own = fixture();
  const error = await errorOf(outer.retry(() => own.retry(own.fail, quick), quick));
  expect(error.message).toBe("E3");
  expect([own.attempts(), outer.net(), own.net()]).toEqual([3, [[1, 2, 8]], [[0, 0, 10]]]);
});

test("calls at once that have nothing to do with each other never see each other's context", async () => {
  const server = await serve(unavailable);
  const client = inner({ capacity: 1000 });
  const { retry } = fixture({ capacity: 1000 });
  const alone = new AsyncLocalStorage<number>();
  const calls = Array.from({ length: 20 }, (_, call) =>
    alone.run(call, async () => {
      const get = (): Promise<Response> => {
        expect(alone.getStore()).toBe(call);
        return client.get(server.url);
      };
      await errorOf(call % 2 === 0 ? retry(get, quick) : get());
      expect(outerCall()).toBeUndefined();
    }),
  );
  await Promise.all(calls);
  expect(server.hits).toHaveLength(60);
  expect(client.net()).toEqual([[10, 20, 980]]);
});

test("work that outlives the call is on its own again", async () => {
  const server = await serve(unavailable);
  const client = inner();
  const { retry } = fixture();
  let later: Promise<unknown> | undefined;
  let goOn = (): void => undefined;
  const operation = (): string => {
    later = new Promise<void>((resolve) => {
      goOn = resolve;
    }).then(() => errorOf(client.get(server.url)));
    return "done";
  };
  expect(await retry(operation, quick)).toBe("done");
  goOn();
  await later;
  expect(server.hits).toHaveLength(3);
  expect(client.net()).toEqual([[1, 2, 8]]);
});

test("inside a call that is retried p-retry makes one attempt and rejects with its very error", async () => {
  const { retry, net } = fixture();
  const error = new Error("mine");
  const failure = errorOf(
    runInside(outerOf(), () =>
      retry(() => Promise.reject(error), { retries: 5, minTimeout: 9000 }),
    ),
  );
  expect(await failure).toBe(error);
  expect(refusalOf(error)).toMatchObject({ refusal: "layer", attempts: 1 });
  expect(net()).toEqual([[0, 0, 10]]);
});

test("a deadline of p-retry's ends what a client inside has in flight, and starts nothing after it", async () => {
  const server = await serve((response) => void response.on("error", () => undefined));
  const client = inner();
  const { retry } = fixture({ deadline: 100 });
  const ends: unknown[] = [];
  const operation = (): Promise<Response> =>
    client.get(server.url).catch((error: Error) => {
      ends.push(error.message, refusalOf(error)?.refusal);
      throw error;
    });
  const error = await errorOf(retry(operation, quick));
  await until(() => ends.length > 0);
  expect(ends).toEqual(["the inner client's timeout", "deadline"]);
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  expect(server.hits).toHaveLength(1);
});
