import { createBudgets, createRetryPolicy } from "@retry-budget/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

test("one origin has one budget, whatever the path, query, case or credentials", () => {
  const budgets = createBudgets();
  const budget = budgets.of("http://a:8080/one");
  for (const url of ["http://a:8080", "http://A:8080/two?three", "http://u:p@a:8080/"]) {
    expect(budgets.of(url)).toBe(budget);
  }
  expect(budgets.of("http://a:8081")).not.toBe(budget);
});

test("a new origin takes over the least recently used budget with the tokens that are in it", () => {
  const budgets = createBudgets({ maxOrigins: 2, ratio: 0 });
  const [a, b] = [budgets.of("http://a"), budgets.of("http://b")];
  for (let spent = 0; spent < 7; spent++) a.withdraw();
  b.withdraw();
  budgets.of("http://a");
  expect(budgets.of("http://c").balance).toBe(9);
  expect(budgets.of("http://d").balance).toBe(3);
});

test("an origin that was used since the last take-over is not the next one to go", () => {
  const budgets = createBudgets({ maxOrigins: 3, ratio: 0 });
  for (const name of ["a", "b", "c"]) budgets.of(`http://${name}`);
  budgets.of("http://c").withdraw();
  budgets.of("http://d");
  budgets.of("http://b");
  // The one of "c", with what was left in it.
  expect(budgets.of("http://e").balance).toBe(9);
});

test("what was spent before a take-over stays spent after it, also by calls that still hold it", () => {
  const budgets = createBudgets({ maxOrigins: 1, ratio: 0, capacity: 1 });
  const old = budgets.of("http://a");
  const heir = budgets.of("http://b");
  expect(old.withdraw()).toBe(true);
  expect(heir.withdraw()).toBe(false);
});

test("origins with settings of their own have their places kept until they come", () => {
  const origins = { "http://own": { capacity: 50 } };
  const policy = createRetryPolicy({ maxOrigins: 2, origins });
  for (const url of ["http://a", "http://b", "http://own", "http://c"]) policy.call(facts({ url }));
  expect(policy.snapshot().map(({ origin }) => origin)).toEqual(["http://own", "http://c"]);
});

test("origins with settings of their own are never taken over", () => {
  const budgets = createBudgets({
    maxOrigins: 2,
    origins: { "http://Own/": { capacity: 50 } },
  });
  const own = budgets.of("http://own");
  for (let name = 0; name < 10; name++) budgets.of(`http://other${name}`);
  expect(budgets.of("http://own")).toBe(own);
  expect(own.balance).toBe(50);
  expect(budgets.of("http://other9").balance).toBe(10);
});

test("the number of budgets never exceeds the limit", () => {
  const policy = createRetryPolicy({ maxOrigins: 1000 });
  for (let name = 0; name < 10_000; name++) policy.call(facts({ url: `http://h${name}` }))?.sent();
  expect(policy.snapshot()).toHaveLength(1000);
});

test("churning through more origins than fit mints nothing: retries ≤ maxOrigins × capacity + ratio × originals", () => {
  const visits = fc.array(fc.tuple(fc.nat(20), fc.nat(4)), { maxLength: 300 });
  fc.assert(
    fc.property(visits, fc.integer({ min: 1, max: 5 }), (sequence, maxOrigins) => {
      const budgets = createBudgets({ maxOrigins, capacity: 3, ratio: 0.5 });
      let [originals, retries] = [0, 0];
      const held = new Set<ReturnType<typeof budgets.of>>();
      for (const [name, failures] of sequence) {
        const budget = budgets.of(`http://h${name}`);
        held.add(budget);
        budget.deposit();
        originals++;
        for (let failure = 0; failure < failures; failure++) if (budget.withdraw()) retries++;
        // Calls under way keep the budget of an origin that has been taken over since.
        for (const old of held) if (failures === 4 && old.withdraw()) retries++;
        expect(retries).toBeLessThanOrEqual(maxOrigins * 3 + 0.5 * originals);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a drained origin is not refilled by being forgotten", () => {
  const budgets = createBudgets({ maxOrigins: 1000 });
  const drained = budgets.of("http://drained");
  while (drained.withdraw());
  for (let name = 0; name < 10_000; name++) {
    const other = budgets.of(`http://h${name}`);
    while (other.withdraw());
  }
  expect(budgets.of("http://drained").withdraw()).toBe(false);
});

test.each([
  [{ maxOrigins: 0 }, "Expected `maxOrigins` to be a whole number from 1 to 10000000, got 0."],
  [
    { maxOrigins: 1, origins: { "http://a": {} } },
    "Expected `maxOrigins` to be a whole number from 2 to 10000000, got 1.",
  ],
  [
    { origins: { "http://a": { capacity: 0 } } },
    'Expected `origins["http://a"].capacity` to be a number from 1 to 1000000000, got 0.',
  ],
  [
    { origins: { "http://a b": {} } },
    'Expected `origins["http://a b"]` to be a URL or a name, got "http://a b".',
  ],
  [{ origins: { x: { ratios: 1 } } }, 'Unknown option `ratios` (1) in origins["x"].'],
])("createBudgets(%o) names the field and the value", (options, message) => {
  expect(() => createBudgets(options as never)).toThrow(message);
});
