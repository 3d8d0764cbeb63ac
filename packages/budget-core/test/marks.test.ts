import { createRetryPolicy, type Mark, runInside } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";
import { warningsDuring } from "./warnings.js";

const url = "http://a.example/path?query";

function fixture(options: object = {}) {
  const marked: Mark[] = [];
  const clock = createManualClock();
  const marks = (mark: Mark): Record<string, string> => {
    marked.push(mark);
    return { attempt: String(mark.attempt) };
  };
  const policy = createRetryPolicy({ clock, marks, backoff: () => 0, ...options });
  return { policy, clock, marked };
}

test("an attempt is marked with its number, before it is sent and on its way through redirects", async () => {
  const { policy, marked, clock } = fixture();
  const call = policy.call(facts());
  expect(call?.marks(url)).toEqual({ attempt: "1" });
  call?.sent();
  expect(call?.marks("http://b.example")).toEqual({ attempt: "1" });
  call?.settle({ status: 503 });
  clock.advance(0);
  await call?.prepare();
  expect(call?.marks(url)).toEqual({ attempt: "2" });
  call?.sent();
  expect(call?.marks(url)).toEqual({ attempt: "2" });
  expect(marked[0]).toEqual({
    origin: "http://a.example",
    attempt: 1,
    maxAttempts: 3,
    isRetried: true,
    remaining: Number.POSITIVE_INFINITY,
  });
  expect(marked[1]?.origin).toBe("http://b.example");
});

test.each([
  ["is not idempotent", { method: "POST" }, false],
  ["is idempotent by its own options", { method: "POST", options: { idempotent: true } }, true],
  ["cannot be sent again in full", { isReplayable: () => false }, false],
  ["may be sent once only", { options: { maxAttempts: 1 } }, false],
  ["is a plain GET", {}, true],
])("a request that %s says whether it is retried", (_, changes, isRetried) => {
  const { policy, marked } = fixture();
  policy.call(facts(changes))?.marks(url);
  expect(marked).toMatchObject([{ isRetried }]);
});

test("a call inside another one is marked with the number of that one's attempt", () => {
  const { policy, marked } = fixture();
  const around = { isRetried: true, attempt: 2, isOver: false, outer: undefined };
  const call = runInside({ ...around, remaining: () => 70 }, () =>
    policy.call(facts({ method: "POST" })),
  );
  call?.marks(url);
  expect(marked).toMatchObject([{ attempt: 2, isRetried: true, remaining: 70 }]);
});

test("what is left of the deadline goes down", () => {
  const { policy, marked, clock } = fixture({ deadline: 300 });
  const call = policy.call(facts());
  call?.marks(url);
  clock.advance(120);
  call?.marks(url);
  expect(marked.map(({ remaining }) => remaining)).toEqual([300, 180]);
});

test("marks that throw, and a URL that is none, leave the request as it is", async () => {
  const { policy } = fixture({
    marks: () => {
      throw new Error("no marks");
    },
  });
  const warnings = await warningsDuring(() => {
    expect(policy.call(facts())?.marks(url)).toBeUndefined();
  });
  expect(warnings).toEqual(["RETRY_BUDGET_MARKS"]);
  expect(fixture().policy.call(facts())?.marks("/path")).toBeUndefined();
});
