import { createRetryPolicy, type Outcome, type RetryPolicyOptions } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

// Every run provokes a few warnings: printed, they would bury the report.
process.removeAllListeners("warning");

const capacity = 5;
const coded = (code: string): Error => Object.assign(new Error(code), { code });

// How an attempt can end, and what that proves.
const endings = {
  success: { make: (): unknown => ({ status: 200 }), sent: true },
  "no such thing": { make: (): unknown => ({ status: 404 }), sent: true },
  unavailable: { make: (): unknown => ({ status: 503 }), sent: true },
  "unavailable for a second": { make: (): unknown => ({ status: 503, wait: "1" }), sent: true },
  reset: { make: (): unknown => coded("ECONNRESET"), sent: true },
  refused: { make: (): unknown => coded("ECONNREFUSED"), sent: false },
  certificate: { make: (): unknown => coded("CERT_HAS_EXPIRED"), sent: false },
} as const;
type Ending = keyof typeof endings;
const transient: readonly Ending[] = [
  "unavailable",
  "unavailable for a second",
  "reset",
  "refused",
];

const broken = (): never => {
  throw new Error("broken hook");
};
const hook = fc.constantFrom("absent", "works", "throws", "rejects");
const story = fc.record({
  endings: fc.array(fc.constantFrom(...(Object.keys(endings) as Ending[])), { minLength: 1 }),
  method: fc.constantFrom("GET", "POST"),
  replayable: fc.boolean(),
  initial: fc.nat(capacity),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  deadline: fc.constantFrom(undefined, 50, 500, 5000),
  /** After so many turns of the event loop, or never. */
  abortAt: fc.option(fc.nat(40), { nil: undefined }),
  /** Whether the abort can be listened to. */
  heard: fc.boolean(),
  hooks: fc.record({ classify: hook, backoff: hook, onRetry: hook, observer: hook, store: hook }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

function made<Result>(kind: string, result: Result): (() => Result) | undefined {
  if (kind === "absent") return undefined;
  if (kind === "works") return () => result;
  return kind === "throws" ? broken : () => Promise.reject(new Error("later")) as Result;
}

async function tell({ hooks, ...told }: Story) {
  const clock = createManualClock();
  const { initial, maxAttempts, deadline } = told;
  const options: Record<string, unknown> = {
    ...{ clock, initial, capacity, ratio: 0, maxAttempts, deadline },
    classify: made(hooks.classify, undefined),
    backoff: made(hooks.backoff, 20) ?? { jitter: "none" },
    onRetry: made(hooks.onRetry, undefined),
  };
  if (hooks.store === "throws") options["budgets"] = { of: broken };
  const policy = createRetryPolicy(options as RetryPolicyOptions);
  const observer = made(hooks.observer, undefined);
  if (observer !== undefined) policy.subscribe(observer);

  const given: unknown[] = [];
  const names: Ending[] = [];
  const listeners = new Set<() => void>();
  let aborted = false;
  const abortError = new Error("the client's own abort");
  const expired = new Error("the client's own timeout");
  const result = policy
    .run(
      facts({
        method: told.method,
        isReplayable: () => told.replayable,
        isAborted: () => aborted,
      }),
      {
        send: () => {
          const name = told.endings[names.length % told.endings.length] ?? "success";
          names.push(name);
          const end = endings[name].make();
          given.push(end);
          return end instanceof Error ? Promise.reject(end) : Promise.resolve(end);
        },
        outcomeOf: (settled): Outcome => {
          if ("error" in settled) return { error: settled.error };
          const { status, wait } = settled.value as { status: number; wait?: string };
          return { status, header: (name) => (name === "retry-after" ? wait : undefined) };
        },
        onAbort: (listener) => {
          if (told.heard) listeners.add(listener);
          return () => listeners.delete(listener);
        },
        abortError: () => abortError,
        expire: () => expired,
        discard: () => undefined,
      },
    )
    .catch((error: unknown) => error);
  const sentAtOnce = names.length;

  let end: unknown;
  let isOver = false;
  void result.then((value) => {
    end = value;
    isOver = true;
  });
  let sentAtAbort: number | undefined;
  for (let turn = 0; turn < 400 && !isOver; turn++) {
    if (turn === told.abortAt) {
      aborted = true;
      sentAtAbort = names.length;
      for (const listener of listeners) listener();
    }
    await Promise.resolve();
    if (turn % 10 === 9) clock.advance(300);
  }
  const seen = { given, names, sentAtOnce, sentAtAbort, end, abortError, expired, isOver };
  return { ...seen, policy, clock, listeners };
}

const check = (holds: (told: Story, seen: Awaited<ReturnType<typeof tell>>) => void) =>
  fc.assert(
    fc.asyncProperty(story, async (told) => holds(told, await tell(told))),
    { numRuns: 1000 },
  );

test("guarantee 2: a first attempt is sent at once, and every call ends, whatever is broken", async () => {
  await check((_, { sentAtOnce, isOver }) => {
    expect([sentAtOnce, isOver]).toEqual([1, true]);
  });
});

test("guarantee 2: a store that is broken grants no retry", async () => {
  await check(({ hooks }, { names }) => {
    if (hooks.store === "throws") expect(names).toHaveLength(1);
  });
});

test("guarantee 3: the caller gets the very object of the last attempt, or the client's abort or timeout", async () => {
  await check((_, { end, given, sentAtAbort, abortError, expired }) => {
    // Attempts that have settled are not ended by the deadline.
    expect(end).not.toBe(expired);
    if (sentAtAbort === undefined || end !== abortError) expect(end).toBe(given.at(-1));
  });
});

test("guarantee 4: only what is idempotent and can be replayed, or was never sent, is sent again", async () => {
  await check(({ method, replayable }, { names }) => {
    for (const name of names.slice(0, -1)) {
      expect(replayable).toBe(true);
      if (method === "POST") expect(endings[name].sent).toBe(false);
      expect(transient).toContain(name);
    }
  });
});

test("guarantee 5: the tokens that are gone are those of the retries that were sent", async () => {
  await check(({ initial, hooks }, { policy, names }) => {
    const retries = names.length - 1;
    expect(retries).toBeLessThanOrEqual(initial);
    if (hooks.store === "throws") return;
    const [state] = policy.snapshot();
    expect([state?.retries ?? 0, state?.balance ?? initial]).toEqual([retries, initial - retries]);
  });
});

test("guarantee 6: when a call has ended, no timer and no listener is left", async () => {
  await check((_, { clock, listeners }) => {
    expect([clock.pending, listeners.size]).toEqual([0, 0]);
  });
});

test("guarantee 6: nothing is sent after an abort", async () => {
  await check((_, { names, sentAtAbort }) => {
    if (sentAtAbort !== undefined) expect(names).toHaveLength(sentAtAbort);
  });
});
