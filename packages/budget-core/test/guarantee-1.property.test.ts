import { type Call, createRetryPolicy } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

const move = fc.constantFrom(
  "begin",
  "sent",
  "fail",
  "succeed",
  "permanent",
  "abort",
  "abandon",
  "late",
);
const moves = fc.array(fc.tuple(move, fc.nat(7), fc.nat(3000)), { maxLength: 300 });
const settings = fc.record({
  ratio: fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1e6),
  capacity: fc.integer({ min: 1, max: 10 }),
  trickle: fc.constantFrom(0, 0, 0.5, 3),
  depositOn: fc.constantFrom("request" as const, "success" as const),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
});

const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
const outcomes = {
  fail: { status: 503 },
  succeed: { status: 200 },
  permanent: { error: new Error("permanent") },
  abort: { aborted: true },
  late: { error: refused, sent: false },
} as const;

test("retries ≤ initial + ratio × originals + trickle × seconds, under any interleaving", () => {
  fc.assert(
    fc.property(settings, moves, (options, sequence) => {
      const clock = createManualClock();
      const policy = createRetryPolicy({ ...options, clock });
      const calls: Call[] = [];
      // Counted here and not by the policy: what a client would have put on the wire.
      let [originals, retries, ms] = [0, 0, 0];
      const send = (call: Call): void => {
        const before = call.attempts;
        const isRetry = call.pending;
        call.sent();
        if (call.attempts === before) return;
        if (isRetry) retries++;
        // What goes on after a success is the caller's own, a refreshed token for instance.
        else if (before === 0) originals++;
      };
      for (const [name, index, wait] of sequence) {
        clock.advance(wait);
        ms += wait;
        const call = calls[index % Math.max(1, calls.length)];
        if (name === "begin" || call === undefined) calls.push(policy.call(facts()) as Call);
        else if (name === "sent") send(call);
        else if (name === "abandon") call.abandon();
        else {
          // These prove that something was sent, or that a connection was tried.
          if (name !== "permanent" && name !== "abort") send(call);
          call.settle(outcomes[name]);
        }
        const { ratio, capacity, trickle } = options;
        const [state] = policy.snapshot();
        const earned = ratio > 0 ? (trickle * ms) / 1000 : 0;
        expect(retries).toBeLessThanOrEqual(capacity + ratio * originals + earned + 1e-9);
        expect(state?.retries ?? 0).toBe(retries);
        expect(state?.originals ?? 0).toBe(originals);
        expect(state?.balance ?? 0).toBeGreaterThanOrEqual(0);
        expect(state?.balance ?? 0).toBeLessThanOrEqual(capacity);
      }
    }),
    { numRuns: 2000 },
  );
});

test("when every call has ended, the balance is what was earned less what was sent", () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const policy = createRetryPolicy({ ratio: 0, capacity: 50, maxAttempts: 6 });
      const calls: Call[] = [];
      for (const [name, index] of sequence) {
        const call = calls[index % Math.max(1, calls.length)];
        if (name === "begin" || call === undefined) calls.push(policy.call(facts()) as Call);
        else if (name === "sent") call.sent();
        else if (name === "abandon") call.abandon();
        else call.settle(outcomes[name]);
      }
      for (const call of calls) call.abandon();
      const [state] = policy.snapshot();
      expect(state?.balance ?? 50).toBe(50 - (state?.retries ?? 0));
    }),
    { numRuns: 2000 },
  );
});

test("it holds for each budget, where calls tell late and by turns what they are charged to", () => {
  const turn = fc.constantFrom(
    "begin",
    "sent",
    "charge",
    "fail",
    "succeed",
    "permanent",
    "abandon",
  );
  const turns = fc.array(fc.tuple(turn, fc.nat(7), fc.nat(2)), { maxLength: 300 });
  const keys = ["a", "b", "c"];
  fc.assert(
    fc.property(settings, turns, fc.boolean(), ({ trickle: _, ...options }, sequence, isTight) => {
      const policy = createRetryPolicy({ ...options, maxOrigins: isTight ? 2 : 10 });
      const calls: Call[] = [];
      let [originals, retries] = [0, 0];
      const charged = new Map<Call, string>();
      const earned: Record<string, number> = {};
      const send = (call: Call): void => {
        const before = call.attempts;
        const isRetry = call.pending;
        call.sent();
        if (call.attempts === before) return;
        const key = charged.get(call) ?? "default";
        if (isRetry) retries++;
        else if (before === 0) earned[key] = (earned[key] ?? 0) + 1;
        if (!isRetry && before === 0) originals++;
      };
      for (const [name, index, keyIndex] of sequence) {
        const call = calls[index % Math.max(1, calls.length)];
        const key = keys[keyIndex] ?? "";
        if (name === "begin" || call === undefined) {
          calls.push(policy.call(facts({ key: "default" })) as Call);
        } else if (name === "sent") send(call);
        else if (name === "abandon") call.abandon();
        else if (name === "charge") {
          charged.set(call, key);
          call.chargeTo(key);
        } else {
          if (name !== "permanent") send(call);
          call.settle(outcomes[name]);
        }
        const { ratio, capacity } = options;
        const budgets = isTight ? 2 : keys.length + 1;
        expect(retries).toBeLessThanOrEqual(budgets * capacity + ratio * originals + 1e-9);
        // Beyond maxOrigins a budget goes on under another name, and its counts begin anew.
        if (isTight) continue;
        for (const state of policy.snapshot()) {
          expect(state.originals).toBe(earned[state.origin] ?? 0);
          const most = capacity + ratio * state.originals;
          expect(state.retries).toBeLessThanOrEqual(most + 1e-9);
        }
      }
      for (const call of calls) call.abandon();
      if (options.ratio > 0 || isTight) return;
      for (const { balance, retries } of policy.snapshot()) {
        expect(balance).toBe(options.capacity - retries);
      }
    }),
    { numRuns: 2000 },
  );
});
