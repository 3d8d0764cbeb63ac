import {
  type Call,
  createRetryPolicy,
  type OuterCall,
  outerCall,
  type RetryBudgetEvent,
  refusalOf,
  runInside,
} from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { facts, pause } from "./facts.js";

const failed = { status: 503 };

/** A request that somebody else retries, with so much time left. */
function outer(changes: Partial<OuterCall> = {}): OuterCall {
  return {
    isRetried: true,
    attempt: 1,
    isOver: false,
    outer: undefined,
    remaining: () => Number.POSITIVE_INFINITY,
    ...changes,
  };
}

function fixture(options: object = {}) {
  const clock = createManualClock();
  const policy = createRetryPolicy({ clock, backoff: { jitter: "none" }, ...options });
  const events: RetryBudgetEvent[] = [];
  policy.subscribe((event) => events.push(event));
  const call = (changes: object = {}): Call => {
    const made = policy.call(facts(changes));
    if (made === undefined) throw new Error("opted out");
    return made;
  };
  return { clock, policy, call, events, types: () => events.map(({ type }) => type) };
}

describe("a call inside another one that is retried", () => {
  test("neither earns nor retries, and says so", () => {
    const { call, policy, types } = fixture({ initial: 1, ratio: 1 });
    const inner = runInside(outer(), () => call());
    inner.sent();
    const response = {};
    expect(inner.settle({ ...failed, response })).toEqual({ retry: false, refusal: "layer" });
    expect(refusalOf(response)).toMatchObject({ refusal: "layer", attempts: 1 });
    expect(policy.snapshot()).toMatchObject([
      { balance: 1, originals: 0, retries: 0, refusals: { layer: 1 } },
    ]);
    expect(types()).toEqual(["refused"]);
  });

  test("retries where what it is inside of is not sent again for its method", () => {
    const { call } = fixture();
    const around = call({ method: "POST" });
    const inner = around.within(() => call());
    inner.sent();
    expect(inner.settle(failed)).toMatchObject({ retry: true });
  });

  test("earns nothing by its success either", () => {
    const { call, policy } = fixture({ initial: 0, ratio: 1, depositOn: "success" });
    const inner = runInside(outer(), () => call());
    inner.sent();
    expect(inner.succeed(200)).toBe(true);
    expect(policy.snapshot()).toMatchObject([{ balance: 0, originals: 0 }]);
  });

  test("does both under a policy that says so", () => {
    const { call, policy } = fixture({ oneLayer: false, initial: 0, ratio: 1 });
    const inner = runInside(outer(), () => call());
    inner.sent();
    expect(inner.settle(failed)).toMatchObject({ retry: true });
    expect(policy.snapshot()).toMatchObject([{ originals: 1, balance: 0 }]);
  });

  test("does both where what is around it is sent once", () => {
    const { call } = fixture();
    const inner = runInside(outer({ isRetried: false }), () => call());
    inner.sent();
    expect(inner.settle(failed)).toMatchObject({ retry: true });
  });
});

describe("what runs within a call", () => {
  test("knows that it is inside, and of which attempt", async () => {
    const { call, clock } = fixture();
    const around = call();
    const seen = (): number | undefined => around.within(() => outerCall()?.attempt);
    expect(seen()).toBe(1);
    around.sent();
    around.settle(failed);
    clock.advance(0);
    const due = pause(around);
    clock.advance(100);
    await due;
    around.sent();
    expect(seen()).toBe(2);
    expect(outerCall()).toBeUndefined();
  });

  test("is inside of nothing where the call is sent once and has no deadline", () => {
    const { call } = fixture({ maxAttempts: 1 });
    expect(call().within(outerCall)).toBeUndefined();
  });

  test("is inside of nothing where the policy does not take part", () => {
    const { call } = fixture({ oneLayer: false });
    expect(call().within(outerCall)).toBeUndefined();
  });

  test("is on its own once the call has ended", async () => {
    const { call } = fixture();
    const around = call();
    let goOn: () => void = () => undefined;
    const later = around.within(async () => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return outerCall();
    });
    around.sent();
    around.settle({ status: 200 });
    goOn();
    expect(await later).toBeUndefined();
  });

  test("sends nothing for a minute after the deadline of a call that has ended by it", async () => {
    const { call, clock } = fixture({ deadline: 100 });
    const around = call();
    around.onDeadline(() => around.settle({ error: new Error("the client's timeout") }));
    around.within(() => {
      around.sent();
      clock.advance(100);
      expect(call().begin()).toMatchObject({ refusal: "deadline" });
      clock.advance(59_999);
      expect(call().begin()).toMatchObject({ refusal: "deadline" });
      clock.advance(1);
      expect(outerCall()).toBeUndefined();
      expect(call().begin()).toBeUndefined();
    });
  });

  test("is inside again where the caller goes on after a success", () => {
    const { call } = fixture();
    const around = call();
    around.sent();
    around.within(() => {
      around.succeed(200);
      expect(outerCall()).toBeUndefined();
      around.sent();
      expect(outerCall()).toMatchObject({ isRetried: true, attempt: 2 });
    });
  });

  test("falls back to what is around a call that has ended", () => {
    const { call } = fixture({ oneLayer: false, deadline: 100 });
    const around = outer({ attempt: 7 });
    runInside(around, () => {
      const inner = call();
      inner.within(() => {
        expect(outerCall()).not.toBe(around);
        inner.sent();
        inner.succeed(200);
        expect(outerCall()).toBe(around);
      });
    });
  });

  test("is retried through every layer between", () => {
    const top = fixture();
    const middle = fixture({ deadline: 1000 });
    const bottom = fixture({ initial: 5 });
    const around = top.call();
    around.sent();
    around.within(() => {
      const between = middle.call();
      between.sent();
      between.within(() => {
        const inner = bottom.call();
        inner.sent();
        expect(inner.settle(failed)).toEqual({ retry: false, refusal: "layer" });
      });
      expect(between.settle(failed)).toEqual({ retry: false, refusal: "layer" });
    });
    expect(around.settle(failed)).toMatchObject({ retry: true });
  });

  test("is told by nobody else's context", async () => {
    const { call } = fixture();
    const inside = async (attempt: number): Promise<unknown> => {
      await Promise.resolve();
      return outerCall()?.attempt === attempt;
    };
    const results = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? runInside(outer({ attempt: index }), () => inside(index))
        : Promise.resolve().then(() => outerCall() === undefined),
    );
    expect(new Set(await Promise.all(results))).toEqual(new Set([true]));
    expect(call().settle({ error: new Error("aborted"), aborted: true })?.refusal).toBe("aborted");
  });

  test("is inside in onRetry as well", async () => {
    const seen: unknown[] = [];
    const onRetry = (): void => void seen.push(outerCall()?.isRetried);
    const { call, clock } = fixture({ onRetry });
    const around = call();
    around.sent();
    around.settle(failed);
    const due = pause(around);
    clock.advance(100);
    expect(await due).toBe(true);
    expect(seen).toEqual([true]);
  });
});

describe("deadlines", () => {
  test.each([
    { own: 300, around: 100 },
    { own: 100, around: 300 },
  ])("nest, and the earlier one counts: $own inside of $around", ({ own, around }) => {
    const { call, clock } = fixture({ deadline: own, backoff: () => 0 });
    const inner = runInside(outer({ isRetried: false, remaining: () => around }), () => call());
    expect(inner.begin()).toBeUndefined();
    let time: number | undefined;
    inner.onDeadline((given) => {
      time = given;
    });
    inner.sent();
    clock.advance(99);
    expect(time).toBeUndefined();
    clock.advance(1);
    expect(time).toBe(100);
    expect(inner.settle({ error: new Error("the client's timeout") })?.refusal).toBe("deadline");
  });

  test("are handed on to what runs within", () => {
    const { call, clock } = fixture({ deadline: 300 });
    const around = call();
    around.within(() => expect(outerCall()?.remaining()).toBe(300));
    clock.advance(250);
    around.within(() => expect(outerCall()?.remaining()).toBe(50));
    clock.advance(100);
    around.within(() => expect(outerCall()?.remaining()).toBeLessThanOrEqual(0));
  });

  test.each([0, -5])("of an outer call that has %d ms left let nothing begin", (left) => {
    const { call, policy } = fixture();
    const inner = runInside(outer({ remaining: () => left }), () => call({ method: "POST" }));
    expect(inner.begin()).toEqual({ refusal: "deadline", time: 0 });
    const error = new Error("the client's timeout");
    inner.settle({ error, sent: false, tried: false });
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 0 });
    expect(policy.snapshot()).toMatchObject([{ originals: 0, refusals: { deadline: 1 } }]);
  });

  test("of an outer call are no original, also to a client that does not say that nothing was tried", () => {
    const { call, policy } = fixture();
    const inner = runInside(outer({ remaining: () => 0, isRetried: false }), () => call());
    inner.begin();
    inner.settle({ error: Object.assign(new Error("timeout"), { code: "ETIMEDOUT" }) });
    expect(policy.snapshot()).toMatchObject([{ originals: 0, refusals: { deadline: 1 } }]);
  });

  test("leave minAttemptTime for an attempt, the first one included", () => {
    const { call } = fixture({ minAttemptTime: 50, backoff: () => 10 });
    const begin = (left: number) =>
      runInside(outer({ isRetried: false, remaining: () => left }), () => call());
    expect(begin(50).begin()).toMatchObject({ refusal: "deadline" });
    const inTime = begin(61);
    expect(inTime.begin()).toBeUndefined();
    inTime.sent();
    expect(inTime.settle(failed)).toMatchObject({ retry: true });
    const late = begin(60);
    expect(late.begin()).toBeUndefined();
    late.sent();
    expect(late.settle(failed)).toMatchObject({ refusal: "deadline" });
  });

  test("of the call's own let its first attempt begin, however short they are", () => {
    const { call } = fixture({ minAttemptTime: 50 });
    expect(call({ options: { deadline: 10 } }).begin()).toBeUndefined();
  });

  test("that pass in a wait give the token back, with minAttemptTime before them", async () => {
    const { call, clock, policy } = fixture({ deadline: 200, minAttemptTime: 50 });
    const late = call();
    late.sent();
    expect(late.settle(failed)).toMatchObject({ retry: true, delay: 100 });
    // The client waits longer than it was told to.
    clock.advance(150);
    expect(await late.prepare()).toBe(false);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { deadline: 1 } }]);
  });

  test.each(["POST", "GET"])(
    "that end an attempt in flight are the refusal, of a %s too",
    (method) => {
      const { call, clock } = fixture({ deadline: 100, maxAttempts: 1 });
      const slow = call({ method });
      slow.onDeadline(() => undefined);
      slow.sent();
      clock.advance(100);
      expect(slow.settle({ error: new Error("timeout"), aborted: true })?.refusal).toBe("deadline");
    },
  );
});

test.each([
  [{ minAttemptTime: -1 }, /minAttemptTime.*-1/],
  [{ minAttemptTime: 200, deadline: 100 }, /minAttemptTime.*200/],
  [{ oneLayer: "no" }, /oneLayer.*"no"/],
  [{ marks: {} }, /marks.*object/],
  [{ breakers: () => undefined }, /breakers.*function/],
])("%o is a mistake that is named at set-up", (options, message) => {
  expect(() => createRetryPolicy(options as object)).toThrow(message);
});
