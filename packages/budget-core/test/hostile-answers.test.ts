import { createRetryPolicy, type OuterCall, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";
import { warningsDuring } from "./warnings.js";

const url = "http://a.example/path";

test.each<[string, unknown, object | undefined]>([
  ["null", null, undefined],
  ["a number", 7, undefined],
  ["a list", ["a", "b"], undefined],
  ["a promise", Promise.resolve({ a: "1" }), undefined],
  ["a value that is a symbol", { a: Symbol("s"), b: "1" }, { b: "1" }],
  ["a value that is a number", { a: 5, b: "1" }, { b: "1" }],
  ["a value with a line break", { a: "1\r\nc: 2", b: "1" }, { b: "1" }],
  ["a value that no header can hold", { a: "\u20ac", b: "1" }, { b: "1" }],
  ["a name that is none", { "a b": "1", b: "1" }, { b: "1" }],
])("marks that are or have %s cost a warning, and not the request", async (_, given, headers) => {
  const policy = createRetryPolicy({ marks: () => given as never });
  const warnings = await warningsDuring(() => {
    expect(policy.call(facts())?.marks(url)).toEqual(headers);
  });
  expect(warnings).toEqual(["RETRY_BUDGET_MARKS"]);
});

test("marks whose getter throws count as none", async () => {
  const marks = (): never =>
    ({
      get a(): string {
        throw new Error("no mark");
      },
    }) as never;
  const policy = createRetryPolicy({ marks });
  const warnings = await warningsDuring(() => {
    expect(policy.call(facts())?.marks(url)).toBeUndefined();
  });
  expect(warnings).toEqual(["RETRY_BUDGET_MARKS"]);
});

test("marks are told by their names in lower case, and left out where they are undefined", () => {
  const marks = () => ({ "X-A": "1", b: undefined }) as never;
  expect(createRetryPolicy({ marks }).call(facts())?.marks(url)).toEqual({ "x-a": "1" });
});

test.each<[string, Partial<OuterCall>]>([
  ["is NaN", { remaining: () => Number.NaN }],
  ["is no number", { remaining: () => 5n as never }],
  ["is null", { remaining: () => null as never }],
  ["throws", { remaining: thrower }],
  ["is missing", { remaining: undefined as never }],
])("time left outside that %s is no deadline", async (_, own) => {
  const { outer, policy } = inside(own);
  await warningsDuring(() => {
    const call = runInside(outer, () => policy.call(facts()));
    expect(call?.remaining()).toBe(Number.POSITIVE_INFINITY);
    expect(call?.begin()).toBeUndefined();
  });
});

function thrower(): never {
  throw new Error("no answer");
}

function inside(own: Partial<OuterCall>): {
  outer: OuterCall;
  policy: ReturnType<typeof createRetryPolicy>;
} {
  const plain = { isRetried: true, attempt: 1, isOver: false, outer: undefined };
  const outer = { ...plain, remaining: () => Number.POSITIVE_INFINITY, ...own };
  return { outer, policy: createRetryPolicy() };
}

test("a retry whose call is ended while its breaker lets it pass is not sent", async () => {
  const told: string[] = [];
  let end = (): void => undefined;
  const pass = () => {
    end();
    return {
      succeed: () => told.push("success"),
      fail: () => told.push("failure"),
      abandon: () => told.push("nothing"),
    };
  };
  const clock = createManualClock();
  const breakers = { of: () => ({ isOpen: false, pass }) } as never;
  const policy = createRetryPolicy({ clock, breakers, backoff: () => 0 });
  const call = policy.call(facts());
  call?.begin();
  call?.sent();
  call?.settle({ status: 503 });
  end = () => call?.abandon();
  expect(await call?.prepare()).toBe(false);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  expect(told).toEqual(["failure", "nothing"]);
});
