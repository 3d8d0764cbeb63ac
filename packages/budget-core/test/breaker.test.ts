import {
  type Breaker,
  type Call,
  createRetryPolicy,
  type Outcome,
  refusalOf,
  runInside,
} from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { facts, pause } from "./facts.js";
import { warningsDuring } from "./warnings.js";

const failed: Outcome = { status: 503 };
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
const broken = new Error("the circuit is open");
const unreadable = {
  get code(): string {
    throw new Error("a getter of somebody's");
  },
};

/** A breaker that does what it is told, and writes down what it is told. */
class Recorder implements Breaker {
  isOpen = false;
  refuses = false;
  readonly told: string[] = [];

  pass() {
    if (this.refuses) throw broken;
    this.told.push("pass");
    return {
      succeed: () => void this.told.push("succeed"),
      fail: ({ status, error }: Outcome) =>
        void this.told.push(`fail ${status ?? Object(error).code}`),
      abandon: () => void this.told.push("abandon"),
    };
  }
}

function fixture(options: object = {}) {
  const clock = createManualClock();
  const recorders = new Map<string, Recorder>();
  const asked: string[] = [];
  const breakerOf = (origin: string): Recorder => {
    const recorder = recorders.get(origin) ?? new Recorder();
    recorders.set(origin, recorder);
    return recorder;
  };
  const of = (origin: string): Recorder => {
    asked.push(origin);
    return breakerOf(origin);
  };
  const policy = createRetryPolicy({
    ...{ clock, backoff: { base: 100, jitter: "none" }, breakers: { of } },
    ...options,
  });
  const begin = (changes: object = {}): Call => {
    const call = policy.call(facts(changes));
    if (call === undefined) throw new Error("opted out");
    return call;
  };
  const breaker = breakerOf("http://a.example");
  return { clock, policy, begin, breaker, breakerOf, asked };
}

/** A first attempt that the breaker let pass, and that is on its way. */
function sentCall({ begin }: ReturnType<typeof fixture>, changes: object = {}): Call {
  const call = begin(changes);
  expect(call.begin()).toBeUndefined();
  call.sent();
  return call;
}

const withBreaker = (breaker: unknown) => fixture({ breakers: { of: () => breaker } });

describe("a breaker is told once of every attempt", () => {
  test.each<[string, Outcome, string]>([
    ["a success", { status: 200 }, "succeed"],
    ["an answer that no retry would change", { status: 404 }, "succeed"],
    ["a failing status", failed, "fail 503"],
    ["a lost connection", { error: reset }, "fail ECONNRESET"],
    ["a caller who has ended it", { error: reset, aborted: true, sent: true }, "abandon"],
    ["a failure that says nothing of the server", { error: new TypeError("invalid") }, "abandon"],
    ["an answer from a cache", { status: 200, tried: false }, "abandon"],
    ["a failure before it was sent", { error: new Error("hook"), tried: false }, "abandon"],
    ["a failure that only the client calls final", { ...failed, final: true }, "fail 503"],
  ])("%s", (_, outcome, word) => {
    const seen = fixture({ maxAttempts: 1 });
    const call = sentCall(seen);
    call.settle(outcome);
    call.settle(failed);
    call.abandon();
    expect(seen.breaker.told).toEqual(["pass", word]);
  });

  test("a success that is settled the short way", () => {
    const seen = fixture();
    const call = sentCall(seen);
    expect(call.succeed(200)).toBe(true);
    call.settle({ status: 200 });
    expect(seen.breaker.told).toEqual(["pass", "succeed"]);
  });

  test("a first attempt that comes to nothing before it is sent", () => {
    const seen = fixture();
    const call = seen.begin();
    call.begin();
    call.settle({ error: reset, aborted: true });
    expect(seen.breaker.told).toEqual(["pass", "abandon"]);
  });

  test("a retry, which asks for its own passage when it is due and not before", async () => {
    const seen = fixture();
    const call = sentCall(seen);
    call.settle(failed);
    expect([call.needsPreparing, ...seen.breaker.told]).toEqual([true, "pass", "fail 503"]);
    const due = pause(call);
    seen.clock.advance(100);
    expect(await due).toBe(true);
    call.sent();
    call.settle({ status: 200 });
    expect(seen.breaker.told).toEqual(["pass", "fail 503", "pass", "succeed"]);
  });

  test.each<[string, (call: Call) => void]>([
    ["abandoned", (call) => call.abandon()],
    ["ended by its client", (call) => void call.settle({ error: reset, final: true })],
    ["never sent", (call) => void call.settle({ error: new Error("closed"), sent: false })],
    ["aborted", (call) => void call.settle({ error: reset, aborted: true })],
  ])("a retry that was let pass and is %s then", async (_, end) => {
    const seen = fixture();
    const call = sentCall(seen);
    call.settle(failed);
    expect(await call.prepare()).toBe(true);
    end(call);
    call.abandon();
    expect(seen.breaker.told).toEqual(["pass", "fail 503", "pass", "abandon"]);
    expect(seen.policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });

  test("an attempt that is asked for twice: the first passage is given up", () => {
    const seen = fixture();
    const call = seen.begin();
    call.begin();
    call.begin();
    call.sent();
    call.settle({ status: 200 });
    expect(seen.breaker.told).toEqual(["pass", "abandon", "pass", "succeed"]);
  });

  test("an outcome that cannot be read", async () => {
    const seen = fixture();
    const call = sentCall(seen);
    const codes = await warningsDuring(() => call.settle({ error: unreadable }));
    expect(codes).toEqual(["RETRY_BUDGET_OUTCOME"]);
    expect(seen.breaker.told).toEqual(["pass", "abandon"]);
  });

  test("a retry whose outcome cannot be read gives its token back", async () => {
    const seen = fixture();
    const call = sentCall(seen);
    call.settle(failed);
    await call.prepare();
    call.settle({ error: unreadable, sent: false });
    expect(seen.breaker.told).toEqual(["pass", "fail 503", "pass", "abandon"]);
    expect(seen.policy.snapshot()).toMatchObject([{ balance: 10 }]);
  });

  test("an attempt that the deadline has ended has failed, also a POST", () => {
    const seen = fixture({ deadline: 50 });
    const call = sentCall(seen, { method: "POST" });
    call.onDeadline(() => call.settle({ error: new Error("timeout"), sent: true }));
    seen.clock.advance(50);
    expect(seen.breaker.told).toEqual(["pass", "fail undefined"]);
  });

  test("a call that stands down inside another one", () => {
    const seen = fixture();
    const outer = seen.begin();
    const call = outer.within(() => sentCall(seen));
    expect(call.settle(failed)?.refusal).toBe("layer");
    expect(seen.breaker.told).toEqual(["pass", "fail 503"]);
  });
});

describe("an open circuit", () => {
  test("lets no first attempt out: its error, and neither attempt nor deposit nor token", () => {
    const seen = fixture();
    seen.breaker.refuses = true;
    const call = seen.begin();
    expect(call.begin()).toEqual({ refusal: "breaker", error: broken });
    call.settle({ error: broken, sent: false, tried: false });
    expect(refusalOf(broken)).toMatchObject({ refusal: "breaker", attempts: 0, balance: 10 });
    expect(seen.policy.snapshot()).toMatchObject([
      { originals: 0, retries: 0, balance: 10, refusals: { breaker: 1 } },
    ]);
    expect(seen.breaker.told).toEqual([]);
  });

  test("is asked about before the budget: no token is spent", () => {
    const seen = fixture();
    const call = sentCall(seen);
    seen.breaker.isOpen = true;
    expect(call.settle(failed)).toEqual({ retry: false, refusal: "breaker" });
    expect(seen.policy.snapshot()).toMatchObject([{ balance: 10, refusals: { breaker: 1 } }]);
  });

  test("that opened during the wait gives the token back, and the failure stays the caller's", async () => {
    const seen = fixture();
    const call = sentCall(seen);
    const failure = { ...failed, response: {} };
    call.settle(failure);
    seen.breaker.refuses = true;
    expect(await call.prepare()).toBe(false);
    expect(refusalOf(failure.response)).toMatchObject({ refusal: "breaker", attempts: 1 });
    expect(seen.policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
    expect(seen.breaker.told).toEqual(["pass", "fail 503"]);
  });

  test("is not asked for a passage where no time is left", () => {
    const seen = fixture();
    const inside = { isRetried: false, attempt: 1, isOver: false, remaining: () => 0 };
    const call = runInside({ ...inside, outer: undefined }, () => seen.begin());
    expect(call.begin()?.refusal).toBe("deadline");
    expect(seen.breaker.told).toEqual([]);
  });
});

describe("the breaker of one origin", () => {
  test("hears nothing of another: a redirect is an answer, and where it leads is asked", () => {
    const seen = fixture();
    const call = sentCall(seen);
    call.sent("http://b.example/there");
    call.sent("http://b.example/there");
    call.settle(failed);
    expect(seen.breaker.told).toEqual(["pass", "succeed"]);
    expect(seen.breakerOf("http://b.example").told).toEqual(["pass", "fail 503"]);
  });

  test("does not hold up a redirect that is on its way", () => {
    const seen = fixture();
    seen.breakerOf("http://b.example").refuses = true;
    const call = sentCall(seen);
    call.settle({ status: 200, url: "http://b.example" });
    expect(seen.breaker.told).toEqual(["pass", "succeed"]);
    expect(seen.breakerOf("http://b.example").told).toEqual([]);
  });

  test("is not told of a proxy that could not be reached", () => {
    const seen = fixture();
    const call = sentCall(seen);
    const error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    call.settle({ error, sent: false, url: "http://proxy.example" });
    expect(seen.breaker.told).toEqual(["pass", "abandon"]);
    expect(seen.breakerOf("http://proxy.example").told).toEqual(["pass", "fail ECONNREFUSED"]);
  });

  test("is not told of what turns out to go elsewhere", () => {
    const seen = fixture();
    const call = sentCall(seen, { key: "default" });
    call.chargeTo("known");
    call.settle(failed);
    expect(seen.breakerOf("default").told).toEqual(["pass", "abandon"]);
    expect(seen.breakerOf("known").told).toEqual(["pass", "fail 503"]);
  });

  test("is asked for once, and is another's than that of the budget's heir", () => {
    const seen = fixture({ maxOrigins: 1 });
    sentCall(seen).settle(failed);
    sentCall(seen).settle({ status: 200 });
    const heir = seen.begin({ url: "http://b.example" });
    heir.begin();
    heir.settle(failed);
    expect(seen.asked).toEqual(["http://a.example", "http://b.example"]);
    expect(seen.breaker.told).toEqual(["pass", "fail 503", "pass", "succeed"]);
    expect(seen.breakerOf("http://b.example").told).toEqual(["pass", "fail 503"]);
  });

  test("may be made by code that sends a request itself: names mint nothing", () => {
    const made: string[] = [];
    const policy = createRetryPolicy({
      ...{ maxOrigins: 1, capacity: 1, ratio: 0 },
      breakers: {
        of: (origin): undefined => {
          made.push(origin);
          if (origin === "http://b.example") policy.call(facts({ url: "http://c.example" }));
        },
      },
    });
    policy.call(facts());
    policy.call(facts({ url: "http://b.example" }));
    expect(policy.snapshot()).toMatchObject([{ origin: "http://b.example" }]);
    expect(made).toEqual(["http://a.example", "http://b.example", "http://c.example"]);
  });
});

describe("a breaker that is broken fails no request", () => {
  const attempt = (seen: ReturnType<typeof fixture>) => {
    const call = sentCall(seen);
    return call.settle(failed);
  };

  test.each<[string, () => unknown]>([
    ["throws", () => fails()],
    ["rejects", () => Promise.reject(new Error("later"))],
    ["gives none", () => ({ isOpen: true })],
    ["gives a promise", () => Promise.resolve(new Recorder())],
    ["gives null", () => null],
  ])("`of` %s: a warning, and no breaker", async (_, of) => {
    const codes = await warningsDuring(() => {
      expect(attempt(fixture({ breakers: { of } }))).toEqual({ retry: true, delay: 100 });
    });
    expect(new Set(codes)).toEqual(new Set(["RETRY_BUDGET_BREAKERS"]));
  });

  test("`of` gives undefined: no breaker, and nothing to warn of", async () => {
    const codes = await warningsDuring(() => {
      expect(attempt(withBreaker(undefined))).toEqual({ retry: true, delay: 100 });
    });
    expect(codes).toEqual([]);
  });

  test.each<[string, object]>([
    [
      "`isOpen` throws",
      {
        get isOpen() {
          return fails();
        },
      },
    ],
    [
      "`isOpen` is a promise that rejects",
      {
        get isOpen() {
          return Promise.reject(new Error("later"));
        },
      },
    ],
    ["`pass` gives nothing", { pass: () => undefined }],
    ["`pass` gives what is no passage", { pass: () => ({ succeed: () => undefined }) }],
    ["`pass` rejects", { pass: () => Promise.reject(new Error("later")) }],
    ["a passage throws", { pass: () => ({ succeed: fails, fail: fails, abandon: fails }) }],
    [
      "a passage rejects",
      {
        pass: () => {
          const tell = () => Promise.reject(new Error("later"));
          return { succeed: tell, fail: tell, abandon: tell };
        },
      },
    ],
  ])("%s", async (_, rubbish) => {
    const plain = new Recorder();
    const breaker = { isOpen: false, pass: () => plain.pass() };
    const codes = await warningsDuring(() => {
      const seen = withBreaker(Object.defineProperties(breaker, descriptorsOf(rubbish)));
      expect(attempt(seen)).toEqual({ retry: true, delay: 100 });
    });
    expect(new Set(codes)).toEqual(new Set(["RETRY_BUDGET_BREAKERS"]));
  });
});

function fails(): never {
  throw new Error("a breaker that is broken");
}

const descriptorsOf = (value: object) => Object.getOwnPropertyDescriptors(value);
