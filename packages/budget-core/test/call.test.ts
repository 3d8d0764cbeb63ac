import {
  type Budget,
  type Call,
  createBudget,
  createRetryPolicy,
  type Outcome,
  type RetryBudgetEvent,
  refusalOf,
} from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { facts, pause } from "./facts.js";
import { warningsDuring } from "./warnings.js";

const failed: Outcome = { status: 503 };
const origin = "http://a.example";
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

function fixture(options: object = {}) {
  const clock = createManualClock();
  const policy = createRetryPolicy({ clock, backoff: { jitter: "none" }, ...options });
  const balance = (): number =>
    policy.snapshot().find((entry) => entry.origin === origin)?.balance ?? Number.NaN;
  const begin = (changes: object = {}) => {
    const call = policy.call(facts(changes));
    if (call === undefined) throw new Error("opted out");
    return call;
  };
  return { clock, policy, balance, begin };
}

test("a call deposits once, however often its attempts are said to be sent", () => {
  const { begin, policy } = fixture({ initial: 0, ratio: 1 });
  const call = begin();
  call.sent();
  call.sent();
  call.settle({ status: 200 });
  call.sent();
  expect(policy.snapshot()).toMatchObject([{ balance: 1, originals: 1, retries: 0 }]);
});

test("what a call goes to may be known by its failure only: original and retry are charged there", () => {
  const { begin, policy } = fixture({ capacity: 1 });
  const call = begin({ key: "default" });
  call.chargeTo("known");
  call.sent();
  expect(call.settle(failed)?.retry).toBe(true);
  // The token is the one that was taken, whatever the next attempt tells.
  call.chargeTo("other");
  call.abandon();
  expect(policy.snapshot()).toMatchObject([
    { origin: "default", originals: 0, balance: 1 },
    { origin: "known", originals: 1, balance: 1 },
    { origin: "other", originals: 0, balance: 1 },
  ]);
});

test("an original that is counted stays where it is", () => {
  const { begin, policy } = fixture({ initial: 0, ratio: 1 });
  const call = begin({ key: "default" });
  call.sent();
  call.chargeTo("known");
  expect(call.settle(failed)).toEqual({ retry: false, refusal: "budget" });
  expect(policy.snapshot()).toMatchObject([
    { origin: "default", originals: 1, balance: 1 },
    { origin: "known", originals: 0, refusals: { budget: 1 } },
  ]);
});

test("a call that is never sent deposits nothing", () => {
  const { begin, policy } = fixture({ initial: 0, ratio: 1 });
  begin().settle({ error: new Error("aborted"), aborted: true });
  begin().settle({ error: new TypeError("invalid argument"), sent: false });
  expect(policy.snapshot()).toMatchObject([{ balance: 0, originals: 0 }]);
});

test("a refused connection is an attempt, also where the client could not say that it was sent", () => {
  const { begin, policy } = fixture({ initial: 0, ratio: 1 });
  const call = begin({ method: "POST" });
  expect(call.settle({ error: refused, sent: false })?.retry).toBe(true);
  expect(call.attempts).toBe(1);
  expect(policy.snapshot()).toMatchObject([{ originals: 1 }]);
});

test("the second of two outcomes for one attempt gives the decision on the first", () => {
  const { begin, policy } = fixture({ maxAttempts: 2 });
  const call = begin();
  call.sent();
  const granted = call.settle(failed);
  expect(granted?.retry).toBe(true);
  expect(call.settle({ status: 404 })).toEqual(granted);
  call.sent();
  const refused = call.settle(failed);
  expect(refused).toEqual({ retry: false, refusal: "attempts" });
  expect(call.settle({ status: 200 })).toEqual(refused);
  expect(policy.snapshot()).toMatchObject([{ retries: 1, balance: 9, refusals: { attempts: 1 } }]);
});

test("a caller who has ended the request is asked about at the decision", () => {
  const { begin, policy } = fixture();
  const call = begin({ isAborted: () => true });
  call.sent();
  expect(call.settle({ error: reset })).toEqual({ retry: false, refusal: "aborted" });
  expect(policy.snapshot()).toMatchObject([{ balance: 10 }]);
});

test("a token is spent when the retry is sent and comes back when it is abandoned", () => {
  const { begin, balance, policy } = fixture();
  const call = begin();
  call.sent();
  call.settle(failed);
  expect([balance(), call.pending]).toEqual([9, true]);
  call.abandon();
  call.abandon();
  expect([balance(), call.pending]).toEqual([10, false]);
  expect(policy.snapshot()).toMatchObject([{ retries: 0, refusals: { aborted: 1 } }]);
});

test("a retry that was sent keeps its token", () => {
  const { begin, balance } = fixture();
  const call = begin();
  call.sent();
  call.settle(failed);
  call.sent();
  call.abandon();
  expect(balance()).toBe(9);
});

test("a retry that fails before it is sent gives its token back, unless its connection was tried", () => {
  const { begin, balance } = fixture();
  const destroyed = Object.assign(new Error("closed"), { code: "UND_ERR_DESTROYED" });
  for (const [error, left] of [
    [destroyed, 10],
    [refused, 8],
  ] as const) {
    const call = begin();
    call.sent();
    call.settle(failed);
    call.settle({ error, sent: false });
    expect(balance()).toBe(left);
    call.abandon();
  }
});

test("a final outcome after a grant gives the token back, whatever it is", () => {
  const { begin, balance } = fixture();
  for (const outcome of [failed, { error: reset }, { error: new Error("hook") }]) {
    const call = begin();
    call.sent();
    call.settle(failed);
    expect(call.settle({ ...outcome, final: true })).toEqual({ retry: false, refusal: "aborted" });
    expect(balance()).toBe(10);
  }
});

test("the policy waits, and no timer is left when the wait is abandoned", async () => {
  const { begin, clock } = fixture();
  const call = begin();
  call.sent();
  call.settle(failed);
  const due = pause(call);
  expect(clock.pending).toBe(1);
  call.abandon();
  expect(clock.pending).toBe(0);
  expect(await due).toBe(false);
});

test("the wait ends when it is due", async () => {
  const { begin, clock } = fixture();
  const call = begin();
  call.sent();
  call.settle(failed);
  const due = pause(call);
  clock.advance(100);
  expect(await due).toBe(true);
});

describe("a redirect", () => {
  const b = "http://b.example";

  test("to another origin deposits there, and its failure is charged there", () => {
    const { begin, policy } = fixture();
    const call = begin();
    call.sent(origin);
    call.sent(b);
    expect(call.settle({ ...failed })?.retry).toBe(true);
    call.sent(b);
    expect(policy.snapshot()).toMatchObject([
      { origin, originals: 1, retries: 0, balance: 10 },
      { origin: b, originals: 1, retries: 1, balance: 9 },
    ]);
  });

  test("of a retry deposits nothing", () => {
    const { begin, policy } = fixture();
    const call = begin();
    call.sent();
    call.settle(failed);
    call.sent();
    call.sent(b);
    call.settle({ status: 200 });
    expect(policy.snapshot()).toMatchObject([{ originals: 1 }, { origin: b, originals: 0 }]);
  });

  test("leaves a key that was named alone", () => {
    const { begin, policy } = fixture();
    const call = begin({ options: { key: "orders" } });
    call.sent();
    call.sent(b);
    expect(policy.snapshot()).toMatchObject([{ origin: "orders", originals: 1 }]);
  });
});

describe("the options of one request", () => {
  test("false opts out: nothing is counted", () => {
    const { policy } = fixture();
    expect(policy.call(facts({ options: false }))).toBeUndefined();
    expect(policy.snapshot()).toEqual([]);
  });

  test("set attempts, idempotency, deadline and key", () => {
    const { begin, clock } = fixture();
    const ask = (options: object, more: object = {}): unknown => {
      const call = begin({ options, ...more });
      call.sent();
      clock.advance(50);
      return call.settle(failed)?.refusal;
    };
    expect(ask({ maxAttempts: 1 })).toBe("attempts");
    expect(ask({ idempotent: false })).toBe("method");
    expect(ask({}, { method: "POST" })).toBe("method");
    expect(ask({ idempotent: true }, { method: "POST" })).toBeUndefined();
    expect(ask({ deadline: 150 })).toBe("deadline");
    expect(ask({ deadline: 151 })).toBeUndefined();
  });

  test.each([
    ["yes"],
    [{ maxAttempts: 0 }],
    [{ idempotent: "yes" }],
    [{ key: 42 }],
    [{ key: "http://a b" }],
    [{ deadline: -1 }],
    [{ retries: 3 }],
    [{ toString: 3 }],
  ])("%j is warned about once and left out", async (options) => {
    const warnings = await warningsDuring(() => {
      const { begin } = fixture();
      for (const method of ["GET", "GET"]) {
        const call = begin({ options, method });
        call.sent();
        expect(call.settle(failed)?.retry).toBe(true);
      }
    });
    expect(warnings).toEqual(["RETRY_BUDGET_OPTIONS"]);
  });

  test("a mistake in one leaves the others in force", () => {
    const { begin } = fixture();
    const call = begin({ options: { retries: 9, idempotent: false } });
    call.sent();
    expect(call.settle(failed)).toMatchObject({ refusal: "method" });
  });
});

test("a client may allow fewer attempts than the policy, and not more", () => {
  const { begin } = fixture();
  for (const [maxAttempts, attempts] of [
    [1, 1],
    [2, 2],
    [50, 3],
  ] as const) {
    const call = begin({ maxAttempts: () => maxAttempts });
    do call.sent();
    while (call.settle(failed)?.retry);
    expect(call.attempts).toBe(attempts);
  }
});

describe("idempotency", () => {
  const refusalOfPost = (policyOptions: object, more: object): unknown => {
    const call = fixture(policyOptions).begin({ method: "POST", ...more });
    call.sent();
    return call.settle(failed)?.refusal;
  };

  test("an Idempotency-Key counts, an option turns that off, and the request's own word wins", () => {
    const requestHeader = (name: string): unknown => name === "idempotency-key" && "k";
    expect(refusalOfPost({}, { requestHeader })).toBeUndefined();
    expect(refusalOfPost({ idempotencyKey: false }, { requestHeader })).toBe("method");
    expect(refusalOfPost({}, { requestHeader, options: { idempotent: false } })).toBe("method");
  });

  test("a client's own word comes before the list of methods", () => {
    expect(refusalOfPost({}, { isIdempotent: () => true })).toBeUndefined();
    expect(refusalOfPost({ methods: ["POST"] }, { isIdempotent: () => false })).toBe("method");
    expect(refusalOfPost({ methods: ["post"] }, { isIdempotent: () => undefined })).toBeUndefined();
  });

  test.each(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "get"])(
    "%s is idempotent",
    (method) => {
      expect(refusalOfPost({}, { method })).toBeUndefined();
    },
  );

  test.each(["POST", "PATCH", "CONNECT", "LOCK"])("%s is not idempotent", (method) => {
    expect(refusalOfPost({}, { method })).toBe("method");
  });
});

describe("classification", () => {
  const refusalFor = (outcome: Outcome, options: object = {}): unknown => {
    const call = fixture(options).begin();
    call.sent();
    return call.settle(outcome)?.refusal;
  };

  test.each([408, 425, 429, 500, 502, 503, 504])("%d is transient", (status) => {
    expect(refusalFor({ status })).toBeUndefined();
  });

  test.each([400, 401, 403, 404, 409, 413, 421, 422, 499, 501, 505])(
    "%d is permanent",
    (status) => {
      expect(refusalFor({ status })).toBe("permanent");
    },
  );

  test("413 is transient with Retry-After", () => {
    const header = (name: string) => (name === "retry-after" ? "1" : undefined);
    expect(refusalFor({ status: 413, header })).toBeUndefined();
    expect(refusalFor({ status: 413, header }, { statuses: [503] })).toBe("permanent");
  });

  test("an explicit yes of the server makes any failure transient, but no success", () => {
    const header = (name: string) => (name === "x-should-retry" ? "true" : undefined);
    const { begin } = fixture();
    const ask = (status: number) => {
      const call = begin();
      call.sent();
      return call.settle({ status, header });
    };
    expect(ask(409)?.retry).toBe(true);
    expect(ask(200)).toBeUndefined();
  });

  test("a body that breaks off is judged by its error, not by its status", () => {
    expect(refusalFor({ status: 200, error: reset })).toBeUndefined();
    expect(refusalFor({ status: 200, error: new Error("parse") })).toBe("permanent");
    expect(refusalFor({ status: 404, error: reset })).toBe("permanent");
  });

  test("classify comes first, also for a success, and undefined leaves it to the rule", () => {
    expect(refusalFor({ status: 200 }, { classify: () => "transient" })).toBeUndefined();
    expect(refusalFor({ status: 503 }, { classify: () => "permanent" })).toBe("permanent");
    expect(refusalFor({ status: 404 }, { classify: () => undefined })).toBe("permanent");
    expect(refusalFor({ status: 503 }, { classify: () => "nonsense" })).toBeUndefined();
  });

  test("an explicit no of the server wins over classify", () => {
    const header = (name: string) => (name === "x-should-retry" ? "false" : undefined);
    expect(refusalFor({ status: 503, header }, { classify: () => "transient" })).toBe("server");
  });

  test.each([
    [
      () => {
        throw new Error("no");
      },
    ],
    [() => Promise.reject(new Error("no"))],
    [() => "retry"],
    [async () => "transient"],
  ])("a classify that fails counts as absent, with one warning", async (classify) => {
    const warnings = await warningsDuring(() => {
      const { begin } = fixture({ classify });
      for (const status of [503, 503, 404]) {
        const call = begin();
        call.sent();
        expect(call.settle({ status })?.retry).toBe(status === 503);
      }
    });
    expect(warnings).toEqual(["RETRY_BUDGET_CLASSIFY"]);
  });
});

test("an outcome whose getters throw is permanent, with one warning, and nothing is spent", async () => {
  const warnings = await warningsDuring(() => {
    const { begin, balance } = fixture();
    const call = begin();
    call.sent();
    const header = (): never => {
      throw new Error("no");
    };
    expect(call.settle({ status: 503, header })).toEqual({ retry: false, refusal: "permanent" });
    expect(balance()).toBe(10);
  });
  expect(warnings).toEqual(["RETRY_BUDGET_OUTCOME"]);
});

// Each is a value whose conversion to text throws, or is refused by template literals.
const unprintable = [
  Symbol("no text"),
  Object.create(null),
  {
    toString: () => {
      throw new Error("no text");
    },
  },
];

test.each(unprintable.map((value, index) => [index, value]))(
  "thrown values that have no text are contained as well (%d)",
  async (_, value) => {
    const broken = (): never => {
      throw value;
    };
    await warningsDuring(async () => {
      const options = Object.defineProperty({}, "key", { enumerable: true, get: broken });
      const { begin, policy } = fixture({ classify: broken, backoff: broken, onRetry: broken });
      policy.subscribe(broken);
      policy.subscribe((async () => broken()) as never);
      const call = begin({ options });
      call.sent();
      expect(call.settle(failed)?.retry).toBe(true);
      expect(await call.prepare()).toBe(false);
      const other = fixture({ budgets: { of: broken } }).begin();
      other.sent();
      const header = broken;
      expect(other.settle({ status: 503, header })).toMatchObject({ refusal: "permanent" });
    });
  },
);

describe("a call that is ended from within", () => {
  test.each(["classify", "backoff", "exhausted"])(
    "%s keeps no token and no timer",
    async (place) => {
      let end = (): void => undefined;
      const hook = (): undefined => end() as undefined;
      const options = place === "exhausted" ? {} : { [place]: hook };
      const { begin, policy, clock, balance } = fixture({ capacity: 1, ratio: 0, ...options });
      policy.subscribe(({ type }) => {
        if (type === place) end();
      });
      const call = begin();
      call.sent();
      end = () => {
        call.settle({ error: new Error("abort"), aborted: true });
      };
      expect(call.settle(failed)).toEqual({ retry: false, refusal: "aborted" });
      expect([balance(), clock.pending, call.pending]).toEqual([1, 0, false]);
      expect(policy.snapshot()).toMatchObject([{ refusals: { aborted: 1 } }]);
    },
  );

  test("a listener of its refusal changes nothing and is told once", () => {
    const { begin, policy } = fixture({ initial: 0 });
    const call = begin();
    let told = 0;
    policy.subscribe(({ type }) => {
      if (type !== "refused") return;
      told++;
      call.settle({ aborted: true });
      call.abandon();
    });
    call.sent();
    expect(call.settle(failed)).toEqual({ retry: false, refusal: "budget" });
    expect(told).toBe(1);
  });
});

test("a request whose origin is not known is warned about once", async () => {
  const warnings = await warningsDuring(() => {
    const { begin } = fixture();
    begin({ url: "" }).sent();
    begin({ url: "/relative" }).sent();
  });
  expect(warnings).toEqual(["RETRY_BUDGET_ORIGIN"]);
});

test.each([
  ["throws", { now: () => broken(), wall: () => broken(), schedule: () => broken() }],
  ["gives nothing", { now: () => Number.NaN, wall: () => Number.NaN, schedule: () => undefined }],
])(
  "a clock that %s fails no request, is warned about, and the wait ends all the same",
  async (_, clock) => {
    const warnings = await warningsDuring(async () => {
      const { begin } = fixture({ clock, deadline: 60_000, trickle: 1, backoff: () => 1 });
      const call = begin();
      call.sent();
      expect(call.settle(failed)?.retry).toBe(true);
      expect(await pause(call)).toBe(true);
      call.abandon();
    });
    expect(warnings).toEqual(["RETRY_BUDGET_CLOCK"]);
  },
);

function broken(): never {
  throw new Error("broken clock");
}

test("a wait of the client's own that ends after the deadline is refused by it, with a hook as without", async () => {
  for (const onRetry of [undefined, () => undefined]) {
    const { begin, balance, clock } = fixture({ deadline: 500, onRetry });
    const call = begin();
    call.sent();
    const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    call.settle({ error, delay: 400 });
    clock.advance(600);
    expect(await call.prepare()).toBe(false);
    expect(balance()).toBe(10);
    expect(refusalOf(error)).toMatchObject({ refusal: "deadline" });
  }
});

test("a retry whose wait was to end in time is not sent when the timer came after the deadline", async () => {
  const { begin, clock, policy } = fixture({ deadline: 500, backoff: () => 400 });
  const call = begin();
  call.sent();
  call.settle(failed);
  const due = pause(call);
  clock.advance(600);
  expect(await due).toBe(false);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { deadline: 1 } }]);
});

test("an abort that comes for a granted retry ends the call, and its token is back", () => {
  const { begin, policy } = fixture();
  const call = begin();
  call.sent();
  expect(call.settle(failed)?.retry).toBe(true);
  expect(call.settle({ aborted: true })).toMatchObject({ refusal: "aborted" });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { aborted: 1 } }]);
});

describe("the short way to settle a response that has not failed", () => {
  test.each(["request", "success"])(
    "earns once as settle() does, with depositOn %s",
    (depositOn) => {
      for (const end of [
        (call: Call) => call.settle({ status: 200 }),
        (call: Call) => call.succeed(200),
      ]) {
        const { begin, policy } = fixture({ depositOn, initial: 0, ratio: 1 });
        const call = begin();
        call.sent();
        end(call);
        // The caller goes on by itself, with a fresh token for instance.
        call.sent();
        end(call);
        expect(policy.snapshot()).toMatchObject([{ balance: 1, originals: 1, retries: 0 }]);
      }
    },
  );

  test("leaves to settle() what has failed, what was not sent, and what is over", () => {
    const { begin, balance } = fixture();
    const call = begin();
    expect(call.succeed(200)).toBe(false);
    call.sent();
    expect(call.succeed(503)).toBe(false);
    call.settle(failed);
    expect(call.succeed(200)).toBe(false);
    call.sent();
    expect(call.succeed(200)).toBe(true);
    expect(call.succeed(200)).toBe(false);
    expect(balance()).toBe(9);
  });

  test("leaves every response to settle() where there is a classify", () => {
    const { begin } = fixture({ classify: () => "transient" });
    const call = begin();
    call.sent();
    expect(call.succeed(200)).toBe(false);
    expect(call.settle({ status: 200 })?.retry).toBe(true);
  });
});

describe("onRetry", () => {
  test("is told of the retry right before it is sent, and may take its time", async () => {
    const contexts: unknown[] = [];
    let ready = (): void => undefined;
    const onRetry = (context: unknown) => {
      contexts.push(context);
      return new Promise<void>((resolve) => {
        ready = resolve;
      });
    };
    const { begin, clock } = fixture({ onRetry });
    const call = begin();
    call.sent();
    call.settle(failed);
    const due = pause(call, { a: 1 });
    expect(contexts).toEqual([]);
    clock.advance(100);
    await Promise.resolve();
    await Promise.resolve();
    expect(contexts).toEqual([
      {
        origin,
        client: "test",
        method: "GET",
        attempt: 2,
        delay: 100,
        outcome: failed,
        headers: { a: 1 },
      },
    ]);
    ready();
    expect(await due).toBe(true);
  });

  test.each([
    [
      () => {
        throw new Error("no");
      },
    ],
    [() => Promise.reject(new Error("no"))],
  ])("that fails abandons the retry and gives the token back", async (onRetry) => {
    const warnings = await warningsDuring(async () => {
      const { begin, balance } = fixture({ onRetry });
      const call = begin();
      call.sent();
      call.settle({ error: reset });
      expect(await call.prepare()).toBe(false);
      expect(balance()).toBe(10);
      expect(refusalOf(reset)).toMatchObject({ refusal: "aborted" });
    });
    expect(warnings).toEqual(["RETRY_BUDGET_ONRETRY"]);
  });

  test("that never ends is ended by an abort", async () => {
    const { begin, balance } = fixture({ onRetry: () => new Promise(() => undefined) });
    const call = begin();
    call.sent();
    call.settle(failed);
    const due = call.prepare();
    call.abandon();
    expect(await due).toBe(false);
    expect(balance()).toBe(10);
  });

  test("that never ends, but has ended the call before, is ended as well", async () => {
    let end = (): void => undefined;
    const onRetry = (): Promise<never> => {
      end();
      return new Promise(() => undefined);
    };
    const { begin, balance } = fixture({ onRetry });
    const call = begin();
    end = () => call.abandon();
    call.sent();
    call.settle(failed);
    expect(await call.prepare()).toBe(false);
    expect(balance()).toBe(10);
  });

  test("that never ends is ended by the deadline", async () => {
    const { begin, balance, clock } = fixture({
      deadline: 500,
      onRetry: () => new Promise(() => undefined),
    });
    const call = begin();
    call.sent();
    call.settle({ error: reset });
    const due = call.prepare();
    clock.advance(500);
    expect(await due).toBe(false);
    expect([balance(), clock.pending]).toEqual([10, 0]);
    expect(refusalOf(reset)).toMatchObject({ refusal: "deadline" });
  });

  test("that ends in time leaves no timer of the deadline", async () => {
    const { begin, clock } = fixture({ deadline: 500, onRetry: () => undefined });
    const call = begin();
    call.sent();
    call.settle(failed);
    expect(await call.prepare()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("that outlives the deadline is refused by it, and the token comes back", async () => {
    const { begin, balance, clock } = fixture({ deadline: 500, onRetry: () => clock.advance(500) });
    const call = begin();
    call.sent();
    call.settle({ error: reset });
    expect(await call.prepare()).toBe(false);
    expect(balance()).toBe(10);
    expect(refusalOf(reset)).toMatchObject({ refusal: "deadline" });
  });
});

describe("an attempt that went elsewhere, to a proxy", () => {
  const proxy = "http://proxy.example:3128";

  test("is counted and paid for there, and the next one where the request goes", () => {
    const { begin, policy } = fixture({ maxAttempts: 3 });
    const call = begin();
    expect(call.settle({ error: refused, sent: false, url: proxy })?.retry).toBe(true);
    call.sent(origin);
    expect(call.settle(failed)?.retry).toBe(true);
    expect(policy.snapshot()).toMatchObject([
      { origin, balance: 9, originals: 0, retries: 0 },
      { origin: proxy, balance: 9, originals: 1, retries: 1 },
    ]);
  });

  test("is counted nowhere if it could not even be tried", () => {
    const { begin, policy } = fixture();
    const untrusted = Object.assign(new Error("untrusted"), { code: "CERT_HAS_EXPIRED" });
    expect(begin().settle({ error: untrusted, sent: false, url: proxy })).toMatchObject({
      refusal: "permanent",
    });
    expect(policy.snapshot()).toMatchObject([{ origin, originals: 0 }]);
  });
});

describe("a request's own body factory", () => {
  const takesBody = { takesBody: true, isReplayable: () => false };

  test("makes a body for each retry, after onRetry, and goes before a body that is spent", async () => {
    const order: string[] = [];
    const { begin } = fixture({ onRetry: () => order.push("onRetry") });
    const body = async (): Promise<string> => `body ${order.push("body")}`;
    const call = begin({ ...takesBody, options: { body } });
    for (const made of ["body 2", "body 4"]) {
      call.sent();
      expect(call.settle(failed)?.retry).toBe(true);
      expect(await call.prepare()).toBe(true);
      expect(call.body).toBe(made);
    }
    expect(order).toEqual(["onRetry", "body", "onRetry", "body"]);
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no file");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no file"))],
    ["gives nothing, which would be sent as an empty body", () => undefined],
  ])("that %s abandons the retry and gives the token back", async (_, body) => {
    const warnings = await warningsDuring(async () => {
      const { begin, balance } = fixture();
      const call = begin({ ...takesBody, options: { body } });
      call.sent();
      call.settle(failed);
      expect(await call.prepare()).toBe(false);
      expect(balance()).toBe(10);
    });
    expect(warnings).toEqual(["RETRY_BUDGET_BODY"]);
  });

  test("is not asked once the call is over, and what it makes too late is destroyed", async () => {
    let made = 0;
    let destroyed = 0;
    let ready = (_: unknown): void => undefined;
    const body = (): Promise<unknown> => {
      made++;
      return new Promise((resolve) => {
        ready = resolve;
      });
    };
    const { begin, balance } = fixture();
    const call = begin({ ...takesBody, options: { body } });
    call.sent();
    call.settle(failed);
    const due = call.prepare();
    await Promise.resolve();
    call.abandon();
    expect(await due).toBe(false);
    ready({ destroy: () => destroyed++ });
    await new Promise((resolve) => setImmediate(resolve));
    expect([made, destroyed, balance(), call.body]).toEqual([1, 1, 10, undefined]);
    expect(await call.prepare()).toBe(false);
    expect(made).toBe(1);
  });

  test("loses what it made, destroyed, if the retry is abandoned before it is sent", async () => {
    let destroyed = 0;
    const { begin } = fixture();
    const body = (): object => ({ destroy: () => destroyed++ });
    const call = begin({ ...takesBody, options: { body } });
    call.sent();
    call.settle(failed);
    expect(await call.prepare()).toBe(true);
    call.abandon();
    expect([destroyed, call.body]).toEqual([1, undefined]);
  });

  test("changes nothing for a client that cannot be given another body", () => {
    const { begin } = fixture();
    const call = begin({ isReplayable: () => false, options: { body: () => "again" } });
    call.sent();
    expect(call.settle(failed)).toMatchObject({ refusal: "body" });
  });
});

describe("budgets from elsewhere", () => {
  test("are asked by origin", () => {
    const asked: string[] = [];
    const own = createBudget({ initial: 1 });
    const budgets = {
      of: (key: string) => {
        asked.push(key);
        return own;
      },
    };
    const { begin } = fixture({ budgets });
    const call = begin();
    call.sent();
    expect(call.settle(failed)?.retry).toBe(true);
    expect(own.balance).toBe(0);
    expect(new Set(asked)).toEqual(new Set([origin]));
  });

  test("whose balance is no number show none", () => {
    const balance = "7" as unknown as number;
    const of = (): Budget => ({ ...createBudget(), balance });
    const { begin, balance: shown } = fixture({ budgets: { of } });
    begin().sent();
    expect(shown()).toBe(0);
  });

  test.each<[string, unknown]>([
    ["no budget at all", { of: () => undefined }],
    [
      "one that throws",
      {
        of: () => {
          throw new Error("down");
        },
      },
    ],
    [
      "a broken budget",
      {
        of: (): Budget => ({
          get balance(): number {
            throw new Error("down");
          },
          deposit: () => {
            throw new Error("down");
          },
          withdraw: () => {
            throw new Error("down");
          },
          refund: () => undefined,
        }),
      },
    ],
    [
      "an asynchronous one",
      {
        of: () => ({
          balance: 1,
          deposit: () => undefined,
          withdraw: async () => true,
          refund: () => undefined,
        }),
      },
    ],
  ])("%s grants nothing and fails no request", (_, budgets) => {
    const { begin } = fixture({ budgets });
    const call = begin();
    call.sent();
    expect(call.settle(failed)).toEqual({ retry: false, refusal: "budget" });
  });
});

describe("a deposit on success", () => {
  test("comes with the last answer and not with the request", () => {
    const { begin, balance } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
    const succeeding = begin();
    succeeding.sent();
    expect(balance()).toBe(0);
    succeeding.settle({ status: 204 });
    succeeding.settle({ status: 204 });
    expect(balance()).toBe(1);
    const failing = begin();
    failing.sent();
    failing.settle({ status: 404 });
    expect(balance()).toBe(1);
  });

  test("comes once in a call that goes on, by the first answer that earns", () => {
    const { begin, balance } = fixture({ depositOn: "success", initial: 0, ratio: 1 });
    const call = begin();
    for (const [status, earned] of [
      [401, 0],
      [200, 1],
      [200, 1],
    ]) {
      call.sent();
      call.settle({ status, transient: false });
      expect(balance()).toBe(earned);
    }
  });
});

test("the success path reads no clock and starts no timer", () => {
  for (const options of [{}, { trickle: 1 }, { depositOn: "success" }]) {
    const { begin, clock } = fixture(options);
    begin().sent();
    const { reads } = clock;
    for (let request = 0; request < 100; request++) {
      const call = begin();
      call.sent();
      call.settle({ status: 200 });
    }
    expect([clock.reads - reads, clock.pending]).toEqual([0, 0]);
  }
});

test("the events of a call hold what it is about and nothing of its secrets", () => {
  const { policy, clock } = fixture({ capacity: 1, initial: 1 });
  const events: RetryBudgetEvent[] = [];
  policy.subscribe((event) => events.push(event));
  const url = "http://user:password@a.example/path?query=secret#fragment";
  const call = policy.call(facts({ url }));
  call?.sent();
  call?.settle(failed);
  clock.advance(100);
  call?.sent();
  call?.settle({ status: 429, header: (name) => (name === "retry-after" ? "120" : undefined) });
  const base = { v: 1, origin, client: "test", method: "GET" };
  expect(events).toEqual([
    { ...base, type: "original", attempt: 1, balance: 1 },
    { v: 1, type: "exhausted", origin, balance: 0 },
    { ...base, type: "retry", attempt: 2, delay: 100, balance: 0 },
    {
      ...base,
      type: "refused",
      attempt: 2,
      balance: 0,
      refusal: "retry-after",
      retryAfter: 120_000,
    },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/password|path|secret|fragment/);
});
