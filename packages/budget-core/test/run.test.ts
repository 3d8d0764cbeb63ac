import {
  type Attempt,
  createRetryPolicy,
  type Outcome,
  type Runner,
  refusalOf,
} from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

type Answer = number | Error;

const reset = (): Error => Object.assign(new Error("reset"), { code: "ECONNRESET" });

/** A client whose attempts end as told, one after the other; the last answer repeats. */
function client(...answers: Answer[]) {
  const listeners = new Set<() => void>();
  const log: unknown[] = [];
  const runner: Runner<number> = {
    send: () => {
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
      log.push(answer instanceof Error ? answer.message : answer);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    outcomeOf: (settled): Outcome =>
      "error" in settled ? { error: settled.error } : { status: settled.value },
    onAbort: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    abortError: () => new Error("the client's own abort"),
    expire: (time) => {
      log.push("expire");
      return Object.assign(new Error(`timeout of ${time}ms exceeded`), { code: "ETIMEDOUT" });
    },
    discard: (settled) =>
      log.push("value" in settled ? `discard ${settled.value}` : "discard error"),
  };
  let aborted = false;
  const abort = (): void => {
    aborted = true;
    for (const listener of listeners) listener();
  };
  return { runner, log, listeners, abort, isAborted: () => aborted };
}

function fixture(options: object = {}) {
  const clock = createManualClock();
  const policy = createRetryPolicy({ clock, backoff: { jitter: "none" }, ...options });
  const balance = (): number => policy.snapshot()[0]?.balance ?? Number.NaN;
  /** Lets promises run until the next wait, then ends it. */
  const skipWait = async (): Promise<void> => {
    for (let turn = 0; turn < 20 && clock.pending === 0; turn++) await Promise.resolve();
    clock.advance(10_000);
  };
  return { clock, policy, balance, skipWait };
}

test("the value of the first attempt that succeeds is the caller's", async () => {
  const { policy, skipWait } = fixture();
  const { runner, log } = client(503, reset(), 200);
  const result = policy.run(facts(), runner);
  await skipWait();
  await skipWait();
  expect(await result).toBe(200);
  expect(log).toEqual([503, "discard 503", "reset", "discard error", 200]);
});

test("the last failure is the caller's, the same object and not discarded", async () => {
  const { policy, balance } = fixture({ maxAttempts: 1 });
  const error = reset();
  const { runner, log } = client(error);
  await expect(policy.run(facts(), runner)).rejects.toBe(error);
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts" });
  expect([log, balance()]).toEqual([["reset"], 10]);
});

test("a value that the policy calls a failure and does not retry is handed over", async () => {
  const { policy } = fixture({ initial: 0 });
  expect(await policy.run(facts(), client(503).runner)).toBe(503);
});

test("an abort in the wait ends it at once with the client's own error; the token is back and nothing listens", async () => {
  const { policy, balance, clock } = fixture();
  const { runner, log, listeners, abort, isAborted } = client(503, 200);
  const result = policy.run(facts({ isAborted }), runner);
  result.catch(() => undefined);
  for (let turn = 0; turn < 20 && clock.pending === 0; turn++) await Promise.resolve();
  expect(balance()).toBe(9);
  abort();
  await expect(result).rejects.toThrow("the client's own abort");
  expect([balance(), clock.pending, listeners.size]).toEqual([10, 0, 0]);
  expect(log).toEqual([503, "discard 503"]);
});

test("an abort from within a hook ends the call at once, before any wait", async () => {
  const { runner, abort, isAborted, log } = client(503, 200);
  const backoff = (): number => {
    abort();
    return 10_000;
  };
  const { policy, balance, clock } = fixture({ backoff });
  const result = policy.run(facts({ isAborted }), runner);
  await expect(result).rejects.toThrow("the client's own abort");
  expect([balance(), clock.pending, log]).toEqual([10, 0, [503, "discard 503"]]);
});

test("after the wait nothing listens any more", async () => {
  const { policy, skipWait } = fixture();
  const { runner, listeners } = client(503, 200);
  const result = policy.run(facts(), runner);
  await skipWait();
  await result;
  expect(listeners.size).toBe(0);
});

test("when onRetry throws, the caller gets the failure that was to be retried, not discarded", async () => {
  const onRetry = (): never => {
    throw new Error("hook");
  };
  const { policy, skipWait, balance } = fixture({ onRetry });
  const { runner, log } = client(503, 200);
  const result = policy.run(facts(), runner);
  await skipWait();
  expect(await result).toBe(503);
  expect([log, balance()]).toEqual([[503], 10]);
});

test("a client that fails by throwing at once is retried like one that rejects", async () => {
  const { policy, skipWait } = fixture();
  const { runner } = client(200);
  let first = true;
  const send = (attempt: Attempt): Promise<number> => {
    if (!first) return runner.send(attempt);
    first = false;
    throw reset();
  };
  const result = policy.run(facts(), { ...runner, send });
  await skipWait();
  expect(await result).toBe(200);
});

test("what fails before anything was sent earns nothing", async () => {
  const { policy } = fixture({ initial: 0, ratio: 1 });
  await expect(policy.run(facts(), client(new Error("invalid")).runner)).rejects.toThrow("invalid");
  const { runner } = client(reset());
  const aborting = { ...runner, outcomeOf: () => ({ error: reset(), aborted: true }) };
  await expect(policy.run(facts(), aborting)).rejects.toThrow("reset");
  expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 0 }]);
});

test("what was aborted after it was sent is an original", async () => {
  const { policy } = fixture({ initial: 0, ratio: 1 });
  const { runner } = client(reset());
  const outcomeOf = (): Outcome => ({ error: reset(), aborted: true, sent: true });
  await expect(policy.run(facts(), { ...runner, outcomeOf })).rejects.toThrow("reset");
  expect(policy.snapshot()).toMatchObject([{ originals: 1, balance: 1 }]);
});

test("an outcome that cannot be read is the caller's, and not retried", async () => {
  const { policy } = fixture();
  const error = reset();
  const { runner, log } = client(error, 200);
  const outcomeOf = (): never => {
    throw new Error("unreadable");
  };
  await expect(policy.run(facts(), { ...runner, outcomeOf })).rejects.toBe(error);
  expect(log).toEqual(["reset"]);
});

test("a failure that cannot be let go of does not stand in the way of the retry", async () => {
  const { policy, skipWait } = fixture();
  const { runner } = client(503, 200);
  const discard = (): never => {
    throw new Error("stuck");
  };
  const result = policy.run(facts(), { ...runner, discard });
  await skipWait();
  expect(await result).toBe(200);
});

test("an abort that could not be listened to is seen after the wait", async () => {
  const { policy, skipWait, balance } = fixture();
  const { runner, log, abort, isAborted } = client(503, 200);
  const deaf = { ...runner, onAbort: () => () => undefined };
  const result = policy.run(facts({ isAborted }), deaf);
  result.catch(() => undefined);
  await Promise.resolve();
  abort();
  await skipWait();
  await expect(result).rejects.toThrow("the client's own abort");
  expect([log, balance()]).toEqual([[503, "discard 503"], 10]);
});

test("a request that opted out is sent once, and its failure is its own", async () => {
  const { policy } = fixture();
  const { runner, log } = client(503, 200);
  expect(await policy.run(facts({ options: false }), runner)).toBe(503);
  expect([log, policy.snapshot()]).toEqual([[503], []]);
});

test("with an unlimited number of attempts an empty budget stops, and so does a deadline", async () => {
  const endless = { maxAttempts: Number.POSITIVE_INFINITY, backoff: { base: 0 } };
  const empty = createRetryPolicy({ ...endless, ratio: 0, capacity: 5 });
  const { runner, log } = client(503);
  await empty.run(facts(), runner);
  expect(log.filter((entry) => entry === 503)).toHaveLength(6);
  const clock = createManualClock();
  const late = createRetryPolicy({
    ...endless,
    clock,
    deadline: 2000,
    capacity: 1e6,
    backoff: () => 100,
  });
  const other = client(503);
  const result = late.run(facts(), other.runner);
  for (let wait = 0; wait < 40; wait++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    clock.advance(100);
  }
  expect(await result).toBe(503);
  expect(other.log.filter((entry) => entry === 503)).toHaveLength(20);
});

/** An attempt that is settled by hand, or never. */
function pendingClient() {
  const made = client();
  let settle = { resolve: (_: number): void => undefined, reject: (_: unknown): void => undefined };
  const send = (): Promise<number> =>
    new Promise((resolve, reject) => {
      made.log.push("send");
      settle = { resolve, reject };
    });
  return { ...made, runner: { ...made.runner, send }, current: () => settle };
}

test("an attempt that never settles ends at the deadline, with the client's own timeout", async () => {
  const { policy, clock } = fixture({ deadline: 500 });
  const { runner, log } = pendingClient();
  const result = policy.run(facts(), runner);
  result.catch(() => undefined);
  clock.advance(499);
  await Promise.resolve();
  expect(log).toEqual(["send"]);
  clock.advance(1);
  const error = await result.catch((e: unknown) => e);
  expect(error).toMatchObject({ message: "timeout of 500ms exceeded" });
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 1, balance: 10 });
  expect([log, clock.pending]).toEqual([["send", "expire"], 0]);
});

test("a timer that comes before its time is the deadline all the same", async () => {
  const clock = createManualClock();
  const early = { ...clock, schedule: (f: () => void, ms: number) => clock.schedule(f, ms - 1) };
  const policy = createRetryPolicy({ clock: early, deadline: 500, backoff: () => 0 });
  const { runner, log } = pendingClient();
  const result = policy.run(facts(), runner).catch((e: unknown) => e);
  clock.advance(499);
  expect(refusalOf(await result)).toMatchObject({ refusal: "deadline" });
  expect(log).toEqual(["send", "expire"]);
});

test.each<
  [string, (settle: { resolve(n: number): void; reject(e: unknown): void }) => void, string]
>([
  ["value", ({ resolve }) => resolve(200), "discard 200"],
  ["error", ({ reject }) => reject(reset()), "discard error"],
])("a %s that comes after the deadline is let go of", async (_, end, line) => {
  const { policy, clock } = fixture({ deadline: 500 });
  const { runner, log, current } = pendingClient();
  const result = policy.run(facts(), runner);
  clock.advance(500);
  end(current());
  await expect(result).rejects.toThrow("timeout of 500ms exceeded");
  expect(log).toEqual(["send", "expire", line]);
});

test("an attempt that ends in time leaves no timer behind", async () => {
  const { policy, clock } = fixture({ deadline: 500 });
  expect(await policy.run(facts(), client(200).runner)).toBe(200);
  await expect(policy.run(facts(), client(new Error("no")).runner)).rejects.toThrow("no");
  expect(clock.pending).toBe(0);
});

test("a client that fails to end its attempt fails with that", async () => {
  const { policy, clock } = fixture({ deadline: 500 });
  const { runner } = pendingClient();
  const expire = (): never => {
    throw new Error("cannot end it");
  };
  const result = policy.run(facts(), { ...runner, expire });
  clock.advance(500);
  await expect(result).rejects.toThrow("cannot end it");
});

test("the body that was made for a retry is what the client sends", async () => {
  const { policy, skipWait } = fixture();
  const { runner } = client(503, 200);
  const sent: unknown[] = [];
  const send = (attempt: Attempt): Promise<number> => {
    sent.push(attempt.body);
    return runner.send(attempt);
  };
  let made = 0;
  const body = (): string => `made ${++made}`;
  const call = facts({ takesBody: true, options: { body }, isReplayable: () => false });
  const result = policy.run(call, { ...runner, send });
  await skipWait();
  expect([await result, sent]).toEqual([200, [undefined, "made 1"]]);
});

test("a body that was made for a retry that failed is closed, also when the next one is given up", async () => {
  const onRetry = ({ attempt }: { attempt: number }): void => {
    if (attempt === 3) throw new Error("no token");
  };
  const { policy, skipWait } = fixture({ onRetry });
  const { runner } = client(reset());
  const made = { isClosed: false, destroy: () => Object.assign(made, { isClosed: true }) };
  const call = facts({ takesBody: true, options: { body: () => made } });
  const result = policy.run(call, runner);
  result.catch(() => undefined);
  await skipWait();
  await skipWait();
  await expect(result).rejects.toThrow("reset");
  expect(made.isClosed).toBe(true);
});

test("each attempt can ask for its marks, by where it goes; without the policy's there are none", async () => {
  const { policy, skipWait } = fixture({
    marks: ({ origin, attempt }: { origin: string; attempt: number }) => ({
      "x-attempt": `${attempt} of ${origin}`,
    }),
  });
  const { runner } = client();
  const seen: unknown[] = [];
  const send = ({ marks }: Attempt): Promise<number> => {
    seen.push(marks?.("http://a.example/x"), marks?.("http://b.example"));
    return Promise.resolve(503);
  };
  const result = policy.run(facts({ maxAttempts: () => 2 }), { ...runner, send });
  await skipWait();
  expect(await result).toBe(503);
  expect(seen).toEqual([
    { "x-attempt": "1 of http://a.example" },
    { "x-attempt": "1 of http://b.example" },
    { "x-attempt": "2 of http://a.example" },
    { "x-attempt": "2 of http://b.example" },
  ]);
  await fixture().policy.run(facts({ maxAttempts: () => 1 }), { ...runner, send });
  expect(seen.slice(4)).toEqual([undefined, undefined]);
});
