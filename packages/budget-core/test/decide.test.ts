import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { deadlineIn } from "../src/deadline.js";
import { type Decision, decide, type Situation } from "../src/decide.js";
import { resolvePolicyOptions } from "../src/resolve-options.js";
import type { ServerSignals } from "../src/server-signals.js";

const silent = { answer: undefined, wait: undefined, exact: false } as const;

interface Changes {
  readonly facts?: Partial<Situation["facts"]>;
  readonly terms?: Partial<Situation["terms"]>;
  readonly attempts?: number;
  readonly outcome?: Situation["outcome"];
  readonly kind?: Situation["kind"];
  readonly signals?: ServerSignals;
  readonly withdraw?: () => boolean;
  readonly isOpen?: true;
  readonly ended?: Situation["ended"];
}

/** A situation in which a retry is granted, and the withdrawals that were made. */
function situation(
  { facts, terms, withdraw, isOpen, ...changes }: Changes = {},
  options: object = {},
): Situation & { spent(): number } {
  let spent = 0;
  const settings = resolvePolicyOptions(
    { random: () => 0.5, backoff: () => 100, ...options },
    () => undefined,
  );
  return {
    parts: { settings, warn: () => undefined },
    facts: { method: "GET", isReplayable: () => true, ...facts },
    terms: {
      key: undefined,
      maxAttempts: 3,
      deadline: deadlineIn(Number.POSITIVE_INFINITY, createManualClock()),
      idempotent: undefined,
      body: undefined,
      outer: undefined,
      standsDown: false,
      isTooLate: false,
      ...terms,
    },
    account: {
      breaker: isOpen && {
        isOpen,
        pass: () => {
          throw new Error("asked at the decision");
        },
      },
      withdraw: () => {
        if (withdraw !== undefined) return withdraw();
        spent++;
        return true;
      },
    },
    attempts: 1,
    outcome: { status: 503 },
    kind: "transient",
    signals: silent,
    spent: () => spent,
    ...changes,
  };
}

const asking = (wait: number): Changes => ({
  kind: "transient",
  signals: { ...silent, wait },
});

const ending = (time: number): Changes => ({
  terms: { deadline: deadlineIn(time, createManualClock()) },
});

// In the order of the rules. Each one is made to hold together with all that come after it.
const lines: readonly [refusal: string, changes: Changes][] = [
  ["deadline", { ended: "deadline" }],
  ["aborted", { kind: "aborted" }],
  ["permanent", { kind: "permanent", signals: { ...silent, answer: "no", wait: 99_999 } }],
  ["server", { kind: "transient", signals: { ...silent, answer: "no", wait: 99_999 } }],
  ["method", { facts: { method: "POST" } }],
  ["body", { facts: { isReplayable: () => false } }],
  ["attempts", { attempts: 3 }],
  ["layer", { facts: { isRetriedElsewhere: () => true } }],
  ["layer", { terms: { standsDown: true } }],
  ["retry-after", asking(30_001)],
  ["deadline", ending(50)],
  ["breaker", { isOpen: true }],
  ["permanent", { outcome: { final: true } }],
  ["budget", { withdraw: () => false }],
];

describe.each(lines.map(([refusal], index) => ({ refusal, index })))(
  "$refusal",
  ({ refusal, index }) => {
    test("refuses by itself, and nothing is spent", () => {
      const situated = situation(lines[index]?.[1]);
      expect(decide(situated)).toEqual({ retry: false, refusal });
      expect(situated.spent()).toBe(0);
    });

    test("wins over every rule after it", () => {
      // Later entries first, so that the earlier one decides where two set the same field.
      const later = lines.slice(index).reverse();
      const merged = (part: "facts" | "terms"): object =>
        Object.assign({}, ...later.map(([, change]) => change[part]));
      const all = Object.assign({}, ...later.map(([, change]) => change));
      const changes: Changes = { ...all, facts: merged("facts"), terms: merged("terms") };
      expect(decide(situation(changes))).toMatchObject({ refusal });
    });
  },
);

const delayOf = (decision: Decision): number => (decision.retry ? decision.delay : Number.NaN);

test("a granted retry spends one token and waits the backoff", () => {
  const situated = situation();
  expect(decide(situated)).toEqual({ retry: true, delay: 100 });
  expect(situated.spent()).toBe(1);
});

test("what was never sent may be reissued whatever its method", () => {
  const never = { facts: { method: "POST" }, outcome: { error: new Error("x"), sent: false } };
  expect(decide(situation(never))).toMatchObject({ retry: true });
});

test("the server's wait is obeyed in full, with up to a tenth more", () => {
  for (let drawn = 0; drawn < 1; drawn += 0.005) {
    const delay = delayOf(decide(situation(asking(2000), { random: () => drawn })));
    expect(delay).toBeGreaterThanOrEqual(2000);
    expect(delay).toBeLessThanOrEqual(2200);
  }
});

test.each([Number.NaN, -1, 5])(
  "a random function that gives %d makes no wait shorter than asked, and none much longer",
  (drawn) => {
    const delay = delayOf(decide(situation(asking(2000), { random: () => drawn })));
    expect(delay).toBe(2200);
  },
);

test("the own backoff holds where it is longer than the server's wait", () => {
  expect(delayOf(decide(situation(asking(50))))).toBe(100);
  expect(delayOf(decide(situation(asking(0))))).toBe(100);
});

test("the longest wait allowed is allowed, and the jitter on it does not count", () => {
  expect(decide(situation(asking(30_000)))).toEqual({ retry: true, delay: 31_500 });
});

test("gRPC's push-back is kept to the millisecond", () => {
  const pushed = { kind: "transient", signals: { ...silent, wait: 20, exact: true } } as const;
  expect(delayOf(decide(situation(pushed)))).toBe(20);
});

test("the client's own wait takes the place of the backoff, but not of the server's", () => {
  expect(delayOf(decide(situation({ outcome: { delay: 7 } })))).toBe(7);
  expect(delayOf(decide(situation({ ...asking(1000), outcome: { delay: 7 } })))).toBe(1050);
});

test("no wait is longer than a timer can be", () => {
  expect(delayOf(decide(situation({}, { backoff: () => Number.POSITIVE_INFINITY })))).toBe(
    2 ** 31 - 1,
  );
});

test("a wait that ends at the deadline is too long", () => {
  expect(decide(situation(ending(100)))).toMatchObject({ refusal: "deadline" });
  expect(decide(situation(ending(101)))).toMatchObject({ retry: true });
});
