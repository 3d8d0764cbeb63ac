import { createRetryPolicy, unlimitedBudget } from "@retry-budget/core";
import { createSeededRandom } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

const originals = 10_000;

/** 10,000 requests one after the other, each attempt failing with probability p. */
function experiment(p: number, seed: number, options: object) {
  const random = createSeededRandom(seed);
  const policy = createRetryPolicy(options);
  let [succeeded, attempts] = [0, 0];
  for (let request = 0; request < originals; request++) {
    const call = policy.call(facts());
    for (let again = true; again && call !== undefined; ) {
      call.sent();
      attempts++;
      const fails = random() < p;
      if (!fails) succeeded++;
      again = call.settle({ status: fails ? 503 : 200 })?.retry === true;
    }
  }
  return { success: succeeded / originals, amplification: attempts / originals, attempts };
}

const without = { budgets: { of: () => unlimitedBudget } };

test("p = 1: exactly 1,000 retries from empty and 1,009 from full", () => {
  expect(experiment(1, 1, { initial: 0 }).attempts).toBe(11_000);
  expect(experiment(1, 1, {}).attempts).toBe(11_009);
});

test("p = 1 without a budget: 3 attempts each", () => {
  expect(experiment(1, 1, without).attempts).toBe(30_000);
});

test.each([1, 2, 3, 4, 5])("p = 0.5, seed %d: success within 55.0 ± 1.1 %, at 1.10x", (seed) => {
  const { success, amplification } = experiment(0.5, seed, {});
  expect(Math.abs(success - 0.55)).toBeLessThan(0.011);
  expect(amplification).toBeCloseTo(1.1, 2);
  expect(Math.abs(experiment(0.5, seed, without).success - 0.875)).toBeLessThan(0.007);
});

test.each([1, 2, 3])("p = 0.05, seed %d: equal to no budget, to the attempt", (seed) => {
  expect(experiment(0.05, seed, {})).toEqual(experiment(0.05, seed, without));
});

test.each([0.05, 0.1, 0.2, 0.5, 0.9])("p = %d: success = (1 − p) × amplification", (p) => {
  for (const options of [{}, without, { depositOn: "success" }]) {
    const { success, amplification, attempts } = experiment(p, 7, options);
    // Three standard deviations of that many throws.
    const noise = (3 * Math.sqrt(attempts * p * (1 - p))) / originals;
    expect(Math.abs(success - (1 - p) * amplification)).toBeLessThan(noise);
  }
});

test("p = 0.2: 1.10x, and not the 1.24x of a budget that refunds on success", () => {
  expect(Math.abs(experiment(0.2, 1, {}).amplification - 1.1)).toBeLessThan(0.005);
});

test("a deposit on success: p = 0.5 gives 52.6 ± 1.6 % at 1.05x, and an outage 10 retries", () => {
  const { success, amplification } = experiment(0.5, 1, { depositOn: "success" });
  expect(Math.abs(success - 0.526)).toBeLessThan(0.016);
  expect(amplification).toBeCloseTo(1.053, 2);
  expect(experiment(1, 1, { depositOn: "success" }).attempts).toBe(10_010);
});

test("an outage after 1,000 healthy requests: 1.109x by request, 1.010x by success", () => {
  const outage = (options: object): number => {
    const policy = createRetryPolicy(options);
    let attempts = 0;
    for (let request = 0; request < 2000; request++) {
      const healthy = request < 1000;
      const call = policy.call(facts());
      for (let again = true; again && call !== undefined; ) {
        call.sent();
        if (!healthy) attempts++;
        again = call.settle({ status: healthy ? 200 : 503 })?.retry === true;
      }
    }
    return attempts / 1000;
  };
  expect([outage({}), outage({ depositOn: "success" })]).toEqual([1.109, 1.01]);
});

test("p = 0.05: fewer than two in 10,000 wanted retries are denied, over 300,000 requests", () => {
  const random = createSeededRandom(11);
  const policy = createRetryPolicy();
  for (let request = 0; request < 300_000; request++) {
    const call = policy.call(facts());
    do call?.sent();
    while (call?.settle({ status: random() < 0.05 ? 503 : 200 })?.retry);
  }
  const [state] = policy.snapshot();
  expect(state?.retries).toBeGreaterThan(15_000);
  expect((state?.refusals.budget ?? 0) / (state?.retries ?? 1)).toBeLessThan(2e-4);
});
