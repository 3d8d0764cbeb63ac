import { refusalOf } from "@retry-budget/core";
import { errorOf, refusingUrl, serve, status } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";
import { hasContext, hasShouldRetry, pRetryMajor } from "./p-retry-major.js";

test("pr-01: three attempts, one deposit, two tokens, and the last error", async () => {
  const { retry, fail, net, policy } = fixture();
  expect((await errorOf(retry(fail, quick))).message).toBe("E3");
  expect(net()).toEqual([[1, 2, 8]]);
  expect(policy.snapshot()).toMatchObject([{ origin: "db", refusals: { attempts: 1 } }]);
});

test("pr-02: with an empty budget the very error object comes at once, not after the wait", async () => {
  const { retry, net } = fixture({ initial: 0 });
  const error = new Error("always the same");
  const begin = performance.now();
  const options = { retries: 5, minTimeout: 5000 };
  expect(await errorOf(retry(() => Promise.reject(error), options))).toBe(error);
  expect(performance.now() - begin).toBeLessThan(4000);
  expect(refusalOf(error)).toEqual({ refusal: "budget", origin: "db", attempts: 1, balance: 0 });
  expect(net()).toEqual([[1, 0, 0]]);
});

test.runIf(hasShouldRetry)(
  "pr-03: a shouldRetry of the user's that says no is final and free (#45, #46, #67, #70), from p-retry 6 on",
  async () => {
    const { retry, fail, net } = fixture();
    const error = await errorOf(retry(fail, { ...quick, shouldRetry: async () => false }));
    expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
    expect(net()).toEqual([[1, 0, 10]]);
  },
);

test.skipIf(hasShouldRetry)(
  "pr-03: a shouldRetry is nothing to p-retry 5, and so it is with a budget (#45)",
  async () => {
    const { retry, fail, attempts } = fixture();
    await errorOf(retry(fail, { ...quick, shouldRetry: () => false } as never));
    expect(attempts()).toBe(3);
  },
);

test("pr-04: the failure after the last of p-retry's own retries is free (#92, #93, #94)", async () => {
  const { retry, fail, net } = fixture();
  const error = await errorOf(retry(fail, { ...quick, retries: 1 }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 2 });
  expect(net()).toEqual([[1, 1, 9]]);
});

test("pr-05: no retries are one attempt (#81)", async () => {
  const { retry, fail, net, attempts } = fixture();
  await errorOf(retry(fail, { ...quick, retries: 0 }));
  expect([attempts(), net()]).toEqual([1, [[1, 0, 10]]]);
});

test("pr-06: an AbortError rejects with what it wraps and costs nothing (#13)", async () => {
  const { retry, net } = fixture();
  const error = new Error("stop");
  const got = await errorOf(retry(() => Promise.reject(new AbortError(error)), quick));
  expect(got).toBe(error);
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-07: a bug in the operation is one attempt and costs nothing", async () => {
  const { retry, net } = fixture();
  const bug = (): unknown => (undefined as unknown as { x: number }).x;
  expect(await errorOf(retry(bug, quick))).toBeInstanceOf(TypeError);
  expect(net()).toEqual([[1, 0, 10]]);
});

test("pr-08: what classify calls permanent costs nothing and is no refusal of the budget", async () => {
  const { retry, net, policy } = fixture({ classify: () => "permanent" });
  const denied = Object.assign(new Error("bad request"), { status: 400 });
  expect(await errorOf(retry(() => Promise.reject(denied), quick))).toBe(denied);
  expect(net()).toEqual([[1, 0, 10]]);
  expect(policy.snapshot()).toMatchObject([{ refusals: { permanent: 1 } }]);
});

test("pr-13: a success on the second attempt gives nothing back", async () => {
  const { retry, net } = fixture();
  const operation = (attempt: number): string => {
    if (attempt === 1) throw new Error("E");
    return "done";
  };
  expect(await retry(operation, quick)).toBe("done");
  expect(net()).toEqual([[1, 1, 9]]);
});

test("pr-14: fetch does not reject on a 503: plain it is one hit, with a check three", async () => {
  const server = await serve(status(503));
  const { retry, net } = fixture();
  expect((await retry(() => fetch(server.url), quick)).status).toBe(503);
  expect(server.hits).toHaveLength(1);
  const checked = async (): Promise<Response> => {
    const response = await fetch(server.url);
    if (response.status === 503) throw new Error("unavailable");
    return response;
  };
  await errorOf(retry(checked, quick));
  expect([server.hits.length, net()]).toEqual([4, [[2, 2, 8]]]);
});

test("pr-15: a refused connection is a network TypeError: three attempts (#37, #51)", async () => {
  const url = await refusingUrl();
  const { retry, net } = fixture();
  expect(await errorOf(retry(() => fetch(url), quick))).toMatchObject({ message: "fetch failed" });
  expect(net()).toEqual([[1, 2, 8]]);
});

test.runIf(hasContext)(
  "pr-19: retries that p-retry does not count are asked for all the same (#96), from p-retry 7 on",
  async () => {
    const { retry, fail, attempts } = fixture({ capacity: 1, ratio: 0 });
    const options = { ...quick, shouldConsumeRetry: () => false };
    const error = await errorOf(retry(fail, options));
    expect([attempts(), error.message]).toEqual([2, "E2"]);
    expect(refusalOf(error)).toMatchObject({ refusal: "budget" });
  },
);

test.runIf(hasContext)(
  "retries that p-retry does not count do not use up its limit, from p-retry 7 on",
  async () => {
    const { retry } = fixture({ maxAttempts: 10 });
    let free = 4;
    const operation = (attempt: number): number => {
      if (attempt < 5) throw new Error("E");
      return attempt;
    };
    const options = { retries: 1, minTimeout: 2, shouldConsumeRetry: () => free-- <= 0 };
    expect(await retry(operation, options)).toBe(5);
  },
);

// Of an error that is not to be counted p-retry 7 repeats even what it never retries, for ever.
test.runIf(pRetryMajor === 7).each([
  ["a bug", (attempt: number) => new TypeError(`bug ${attempt}`)],
  ["no error", (attempt: number) => `text ${attempt}`],
])("%s that p-retry 7 repeats without asking anybody is asked for", async (_, fault) => {
  const { retry, policy } = fixture({ capacity: 1, ratio: 0 });
  const seen: unknown[] = [];
  let attempts = 0;
  const options = {
    ...quick,
    shouldConsumeRetry: () => false,
    onFailedAttempt: ({ error }: { error: unknown }) => seen.push(error),
  };
  const error = await errorOf(retry(() => Promise.reject(fault(++attempts)), options as never));
  expect(attempts).toBe(2);
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toBe(seen[1]);
  expect(policy.snapshot()).toMatchObject([{ retries: 1, refusals: { budget: 1 } }]);
});

test("the error that p-retry itself ends with stands, and says that its retries are used up", async () => {
  // p-retry 5 and 6 end with the error that was the most frequent.
  const faults = [new Error("A"), new Error("A"), new Error("B")];
  const operation = (attempt: number): never => {
    throw faults[attempt - 1];
  };
  const { retry, net } = fixture();
  const options = { retries: 2, minTimeout: 2 };
  const bare = await errorOf(pRetry(operation, options));
  const error = await errorOf(retry(operation, options));
  expect(error).toBe(bare);
  expect(error).toBe(faults[hasContext ? 2 : 1]);
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
  expect(net()).toEqual([[1, 2, 8]]);
});

test("where the budget ends the retries it is the last error, also where p-retry would choose another", async () => {
  const faults = [new Error("A"), new Error("A"), new Error("B")];
  const { retry } = fixture({ initial: 2, ratio: 0, maxAttempts: 10 });
  const operation = (attempt: number): never => {
    throw faults[attempt - 1];
  };
  expect(await errorOf(retry(operation, quick))).toBe(faults[2]);
});

test.each([
  ["a text", "text"],
  ["undefined", undefined],
  ["null", null],
  ["an object", {}],
])("%s that is thrown is what bare p-retry makes of it, and costs nothing", async (_, thrown) => {
  const { retry, net } = fixture();
  const operation = (): never => {
    throw thrown;
  };
  const describe = ({ name, message }: Error): string[] => [name, message];
  const bare = await errorOf(pRetry(operation, quick));
  expect(describe(await errorOf(retry(operation, quick)))).toEqual(describe(bare));
  expect(net()).toEqual([[1, 0, 10]]);
});

test("who has retries: 3 today makes four attempts bare, three here, and four with maxAttempts: 4", async () => {
  const attempts = async (run: typeof pRetry): Promise<number> => {
    let made = 0;
    const operation = () => Promise.reject(new Error(`E${++made}`));
    await errorOf(run(operation, { retries: 3, minTimeout: 1 }));
    return made;
  };
  expect(await attempts(pRetry)).toBe(4);
  expect(await attempts(fixture().retry)).toBe(3);
  expect(await attempts(fixture({ maxAttempts: 4 }).retry)).toBe(4);
});

test("in an outage 100 calls with retries: 3 are 400 attempts bare, and 119 here", async () => {
  let made = 0;
  const operation = () => Promise.reject(new Error(`E${++made}`));
  const options = { retries: 3, minTimeout: 1, factor: 1 };
  await Promise.all(Array.from({ length: 100 }, () => errorOf(pRetry(operation, options))));
  expect(made).toBe(400);
  const { retry } = fixture();
  for (let call = 0; call < 100; call++) await errorOf(retry(operation, options));
  expect(made - 400).toBe(119);
});

test("p-retry's own limit is the word where the policy's is wider, its default of ten as well", async () => {
  const { retry, fail } = fixture({ maxAttempts: 20, capacity: 20 });
  const error = await errorOf(retry(fail, { minTimeout: 1, factor: 1 }));
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 11 });
});

// An option of the library that p-retry 5 and 6 stand on; 7 and later refuse it.
test.skipIf(hasContext)("forever is bounded by the policy's attempts, at once", async () => {
  const { retry, fail, attempts } = fixture();
  const options = { retries: 0, forever: true };
  const quickly = { ...options, minTimeout: 2, maxTimeout: 2 };
  expect((await errorOf(retry(fail, quickly))).message).toBe("E3");
  expect(attempts()).toBe(3);
  const begin = performance.now();
  await errorOf(fixture({ initial: 0 }).retry(fail, { ...options, minTimeout: 5000 }));
  expect(performance.now() - begin).toBeLessThan(4000);
});

test.runIf(hasContext)(
  "retries without end are bounded by the policy, from p-retry 7 on",
  async () => {
    const { retry, fail, attempts } = fixture({ maxAttempts: Number.POSITIVE_INFINITY, ratio: 0 });
    const options = { retries: Number.POSITIVE_INFINITY, minTimeout: 0 };
    expect((await errorOf(retry(fail, options))).message).toBe("E11");
    expect(attempts()).toBe(11);
  },
);

test("opting out gives bare p-retry, and nothing is counted", async () => {
  const { retry, fail, net, attempts } = fixture({ initial: 0 });
  await errorOf(retry(fail, { ...quick, retryBudget: false }));
  expect([attempts(), net()]).toEqual([6, []]);
});

test("an original that succeeds earns where only successes earn", async () => {
  const { retry, fail, net } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
  await retry(() => 1);
  await errorOf(retry(fail, quick));
  expect(net()).toEqual([[2, 1, 0]]);
});
