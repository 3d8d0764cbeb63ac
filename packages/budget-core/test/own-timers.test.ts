import { createRetryPolicy } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

const timeout = new Error("took too long");

test("a call says what is left until its deadline", () => {
  const clock = createManualClock();
  const call = createRetryPolicy({ clock, deadline: 1000 }).call(facts());
  clock.advance(300);
  expect(call?.remaining()).toBe(700);
  expect(createRetryPolicy({ clock }).call(facts())?.remaining()).toBe(Number.POSITIVE_INFINITY);
});

test.each(["GET", "POST"])(
  "a client's own timer that ends a %s at the deadline comes before core has seen it pass",
  (method) => {
    const policy = createRetryPolicy({ clock: createManualClock(), deadline: 1000 });
    const call = policy.call(facts({ method }));
    call?.begin();
    call?.sent();
    const decision = call?.settle({ error: timeout, expired: true });
    expect(decision).toEqual({ retry: false, refusal: "deadline" });
    expect(policy.snapshot()).toMatchObject([{ originals: 1, refusals: { deadline: 1 } }]);
  },
);

test("a retry that was granted and had no time left when it was to go out gives its token back", () => {
  const policy = createRetryPolicy({ clock: createManualClock(), deadline: 1000 });
  const call = policy.call(facts());
  call?.sent();
  expect(call?.settle({ status: 503 })?.retry).toBe(true);
  call?.settle({ error: timeout, expired: true, sent: false, tried: false });
  expect(policy.snapshot()).toMatchObject([{ retries: 0, balance: 10, refusals: { deadline: 1 } }]);
});
