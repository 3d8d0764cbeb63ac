import { refusalOf } from "@retry-budget/core";
import { errorOf, refusingUrl, ToldBreaker } from "@retry-budget/testkit";
import pRetry, { AbortError } from "p-retry";
import { expect, test } from "vitest";
import { fixture, quick } from "./fixture.js";
import { hasContext } from "./p-retry-major.js";

function withBreaker(breaker: ToldBreaker, key?: Parameters<typeof fixture>[1]) {
  return fixture({ breakers: { of: () => breaker } }, key);
}

test("an open circuit rejects with the breaker's very error, whatever it is, and calls nothing", async () => {
  for (const error of [Object.freeze(new Error("open")), "open", undefined]) {
    const breaker = Object.assign(new ToldBreaker(), { isOpen: true, error });
    const { retry, fail, attempts, net } = withBreaker(breaker);
    const failure: unknown = await retry(fail, quick).catch((reason: unknown) => reason);
    expect(failure).toBe(error);
    expect([attempts(), net(), breaker.told]).toEqual([0, [[0, 0, 10]], []]);
  }
});

test("its refusal is readable on the error", async () => {
  const breaker = new ToldBreaker();
  breaker.isOpen = true;
  const { retry, fail } = withBreaker(breaker);
  expect(refusalOf(await errorOf(retry(fail, quick)))).toMatchObject({
    refusal: "breaker",
    attempts: 0,
  });
});

test("a mistake in p-retry's options tells the breaker nothing", async () => {
  const breaker = new ToldBreaker();
  const { retry, fail } = withBreaker(breaker);
  // What p-retry 5 and 6 take for an option is nothing to 7.
  const options = hasContext ? { retries: -1 } : { minTimeout: 5, maxTimeout: 1 };
  const bare = await errorOf(pRetry(fail, options));
  expect((await errorOf(retry(fail, options))).message).toBe(bare.message);
  expect(breaker.told).toEqual([]);
});

test("what p-retry itself ends with is told as what it is", async () => {
  const end = async (failure: Error): Promise<unknown> => {
    const breaker = new ToldBreaker();
    const { retry } = withBreaker(breaker);
    await errorOf(retry(() => Promise.reject(failure), { ...quick, retries: 0 }));
    return breaker.told;
  };
  expect(await end(new Error("failed"))).toEqual(["failure"]);
  expect(await end(await errorOf(fetch(await refusingUrl())))).toEqual(["failure"]);
  // No other attempt would change these, and neither says whether there is a server that works.
  expect(await end(new AbortError(new Error("not found")))).toEqual(["nothing"]);
  expect(await end(new TypeError("a bug"))).toEqual(["nothing"]);
});

test("each attempt is told once, to the breaker of the key that its error names", async () => {
  const [unknown, named] = [new ToldBreaker(), new ToldBreaker()];
  const of = (key: string): ToldBreaker => (key === "by the error" ? named : unknown);
  const { retry, fail } = fixture({ breakers: { of } }, () => "by the error");
  await errorOf(retry(fail, quick));
  // Asked before anything was known, it is told that nothing is.
  expect(unknown.told).toEqual(["nothing"]);
  expect(named.told).toEqual(["failure", "failure", "failure"]);
});
