import { createBudget } from "@retry-budget/core";
import { createSeededRandom } from "@retry-budget/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";

const ratios = fc.integer({ min: 0, max: 2_000_000 }).map((millionths) => millionths / 1e6);
const settings = fc
  .record({
    ratio: ratios,
    capacity: fc.integer({ min: 1, max: 50 }),
    full: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ ratio, capacity, full }) => ({ ratio, capacity, initial: capacity * full }));
const steps = fc.array(fc.constantFrom("deposit", "withdraw", "refund"), { maxLength: 400 });

test("the balance stays within 0 and the capacity, whatever happens", () => {
  fc.assert(
    fc.property(settings, steps, (options, operations) => {
      const budget = createBudget(options);
      for (const operation of operations) {
        budget[operation as "deposit"]();
        expect(budget.balance).toBeGreaterThanOrEqual(0);
        expect(budget.balance).toBeLessThanOrEqual(options.capacity);
      }
    }),
    { numRuns: 2000 },
  );
});

test("withdrawals not given back never exceed initial + ratio × deposits", () => {
  fc.assert(
    fc.property(settings, steps, (options, operations) => {
      const budget = createBudget(options);
      let deposits = 0;
      let spent = 0;
      for (const operation of operations) {
        if (operation === "deposit") {
          budget.deposit();
          deposits++;
        } else if (operation === "withdraw") {
          if (budget.withdraw()) spent++;
        } else if (spent > 0) {
          budget.refund();
          spent--;
        }
        expect(spent).toBeLessThanOrEqual(options.initial + options.ratio * deposits + 1e-9);
      }
    }),
    { numRuns: 2000 },
  );
});

test("a million random steps keep the bound and the range", () => {
  const budget = createBudget();
  const random = createSeededRandom(1);
  let [deposits, spent] = [0, 0];
  for (let step = 0; step < 1_000_000; step++) {
    const drawn = random();
    if (drawn < 1 / 3) {
      budget.deposit();
      deposits++;
    } else if (drawn < 2 / 3 && budget.withdraw()) spent++;
    if (budget.balance < 0 || budget.balance > 10) throw new Error(`balance ${budget.balance}`);
  }
  expect(spent).toBeGreaterThan(1000);
  expect(spent).toBeLessThanOrEqual(10 + deposits / 10);
});
