import { type Breaker, createRetryPolicy, type Outcome, refusalOf } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

/** A call whose breaker lets everything pass, and what that was told. */
function fixture() {
  const told: string[] = [];
  const breaker: Breaker = {
    isOpen: false,
    pass: () => ({
      succeed: () => told.push("success"),
      fail: () => told.push("failure"),
      abandon: () => told.push("nothing"),
    }),
  };
  const clock = createManualClock();
  const policy = createRetryPolicy({ clock, deadline: 100, breakers: { of: () => breaker } });
  const call = policy.call(facts());
  if (call === undefined) throw new Error("opted out");
  expect(call.begin()).toBeUndefined();
  return { call, clock, policy, told };
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test.each<[string, Outcome, string]>([
  ["a response that is no failure", { status: 404 }, "success"],
  ["a response that another attempt may clear", { status: 503 }, "failure"],
  ["a connection that was refused", { error: withCode("ECONNREFUSED") }, "failure"],
  ["a certificate that is no good", { error: withCode("CERT_HAS_EXPIRED") }, "nothing"],
  ["a client that was closed", { error: withCode("ERR_CLOSED"), sent: false }, "nothing"],
  ["what a cache has answered", { status: 200, tried: false }, "nothing"],
  ["what a client's own timer has ended at the deadline", { expired: true }, "failure"],
  [
    "a deadline that kept it from being sent",
    { expired: true, sent: false, tried: false },
    "nothing",
  ],
  ["an abort", { error: withCode("ABORT_ERR"), aborted: true, sent: true }, "nothing"],
])("of %s a breaker learns once what that says of the server", (_, outcome, word) => {
  const { call, told } = fixture();
  call.settle(outcome);
  call.abandon();
  call.settle(outcome);
  expect(told).toEqual([word]);
});

test("a deadline that comes before there is a connection is a failure to the breaker, and no original", () => {
  const { call, clock, policy, told } = fixture();
  const error = new Error("too late");
  call.onDeadline(() => call.settle({ error, sent: false, tried: false }));
  clock.advance(100);
  expect(told).toEqual(["failure"]);
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
  expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 10 }]);
});

test("a deadline that comes while the body of a success is read is told by its error, once", () => {
  const { call, clock, policy, told } = fixture();
  const error = new Error("too late");
  call.onDeadline(() => call.settle({ error }));
  call.sent();
  expect(call.succeed(200)).toBe(true);
  clock.advance(100);
  call.settle({ error });
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1 });
  expect(policy.snapshot()).toMatchObject([{ originals: 1, refusals: { deadline: 1 } }]);
  expect(told).toEqual(["success"]);
});
