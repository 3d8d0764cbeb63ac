import { createBudget, emptyBudget, unlimitedBudget } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";

const requests = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

/** The requests, from 1, at which a retry was granted when each fails once. */
function grantsAt(count: number, options: Parameters<typeof createBudget>[0]): number[] {
  const budget = createBudget(options);
  return requests(count).filter(() => {
    budget.deposit();
    return budget.withdraw();
  });
}

test("ten original requests earn exactly one retry", () => {
  const budget = createBudget({ initial: 0 });
  for (const _ of requests(10)) budget.deposit();
  expect([budget.withdraw(), budget.withdraw()]).toEqual([true, false]);
});

test("from empty, retries are granted at every tenth request and 1,000 in 10,000", () => {
  expect(grantsAt(50, { initial: 0 })).toEqual([10, 20, 30, 40, 50]);
  expect(grantsAt(10_000, { initial: 0 })).toHaveLength(1000);
});

test("from full, the first eleven requests are retried, then every tenth: 1,009 in 10,000", () => {
  expect(grantsAt(41, {})).toEqual([...requests(11), 21, 31, 41]);
  expect(grantsAt(10_000, {})).toHaveLength(1009);
});

test.each([
  [0.15, 150],
  [0.3, 300],
  [0.6, 600],
  [0.75, 750],
])("a ratio of %d grants %d in 1,000 (tower #857)", (ratio, grants) => {
  expect(grantsAt(1000, { ratio, initial: 0, capacity: 1000 })).toHaveLength(grants);
});

test.each([0.1, 0.25, 0.5, 0.75, 0.99, 0.999, 0.01, 0.001])(
  "a ratio of %d grants its share of 10,000 and refuses only below one token",
  (ratio) => {
    const budget = createBudget({ ratio, initial: 0, capacity: 1e6 });
    let granted = 0;
    for (const _ of requests(10_000)) {
      budget.deposit();
      if (budget.withdraw()) granted++;
      else expect(budget.balance).toBe(0);
    }
    expect(granted).toBe(Math.floor(10_000 * ratio + 1e-6));
  },
);

test("a ratio of 1 grants the retry of a single request (Envoy #30205)", () => {
  expect(grantsAt(1, { ratio: 1, initial: 0 })).toEqual([1]);
});

test.each([
  [10, 0, 1],
  [100, 0, 10],
  [1000, 0, 10],
  [10, 10, 10],
  [1000, 10, 10],
])(
  "of %d requests that fail together, from %d tokens, %d are retried",
  (count, initial, grants) => {
    const budget = createBudget({ initial });
    for (const _ of requests(count)) budget.deposit();
    expect(requests(count).filter(() => budget.withdraw())).toHaveLength(grants);
  },
);

test("a ratio of 2 fills a large budget", () => {
  const budget = createBudget({ ratio: 2, capacity: 20_000, initial: 0 });
  expect(budget.withdraw()).toBe(false);
  for (const _ of requests(10_000)) budget.deposit();
  expect(budget.balance).toBe(20_000);
});

test("a refusal changes nothing and the capacity holds", () => {
  const budget = createBudget({ ratio: 1, initial: 0 });
  for (const _ of requests(15)) budget.deposit();
  expect(budget.balance).toBe(10);
  expect(requests(10).every(() => budget.withdraw())).toBe(true);
  expect(budget.withdraw()).toBe(false);
  expect(budget.balance).toBe(0);
});

test("a refund never rises above the capacity", () => {
  const budget = createBudget({ capacity: 2 });
  budget.withdraw();
  budget.refund();
  budget.refund();
  expect(budget.balance).toBe(2);
});

test("a ratio that is no whole unit is rounded down, so that the bound holds", () => {
  expect(grantsAt(3_000_000, { ratio: 2 / 3, initial: 0 })).toHaveLength(1_999_998);
});

test("a ratio of six decimals is kept exactly", () => {
  for (const millionths of [1, 3, 7, 29, 57, 141, 999, 123_457, 290_000, 999_999]) {
    const budget = createBudget({ ratio: millionths / 1e6, initial: 0, capacity: 1e6 });
    for (const _ of requests(1000)) budget.deposit();
    expect(budget.balance).toBe(Math.floor((millionths * 1000) / 1e6));
  }
});

describe("the trickle", () => {
  test("earns its tokens per second, from empty, up to the capacity", () => {
    const clock = createManualClock();
    const budget = createBudget({ initial: 0, trickle: 2, clock });
    clock.advance(400);
    expect(budget.withdraw()).toBe(false);
    clock.advance(100);
    expect(budget.withdraw()).toBe(true);
    clock.advance(3_600_000);
    expect(budget.balance).toBe(10);
  });

  test("loses no fraction of a unit to frequent readings", () => {
    const clock = createManualClock();
    const budget = createBudget({ initial: 0, trickle: 0.001, clock });
    // 99.99 units each time. The fractions come to the hundredth part of a token.
    const granted = requests(10_002).filter(() => {
      clock.advance(99.99);
      return budget.withdraw();
    });
    expect(granted).toEqual([10_002]);
  });

  test("earns nothing twice from a clock that steps back, and nothing from one that is broken", () => {
    const readings = [10_000, 0, 10_000, 0, 10_000, Number.NaN, Number.POSITIVE_INFINITY];
    const clock = {
      now: () => readings.shift() ?? 11_000,
      wall: () => 0,
      schedule: () => () => undefined,
    };
    const budget = createBudget({ initial: 0, trickle: 1, clock });
    for (let reading = 0; reading < 6; reading++) expect(budget.balance).toBe(0);
    expect(budget.balance).toBe(1);
  });

  test("serves two failures at once after an idle spell (failsafe-go #139)", () => {
    const clock = createManualClock();
    const budget = createBudget({ initial: 0, trickle: 0.1, clock });
    clock.advance(20_000);
    expect([budget.withdraw(), budget.withdraw(), budget.withdraw()]).toEqual([true, true, false]);
  });

  test("has no effect at ratio 0", () => {
    const clock = createManualClock();
    const budget = createBudget({ ratio: 0, initial: 0, trickle: 1, clock });
    clock.advance(60_000);
    expect(budget.withdraw()).toBe(false);
  });
});

test("without a trickle no clock is read", () => {
  const clock = createManualClock();
  const budget = createBudget({ clock });
  budget.deposit();
  budget.withdraw();
  budget.refund();
  expect(budget.balance).toBe(10);
  expect(clock.reads).toBe(0);
});

test("with a trickle a deposit reads no clock", () => {
  const clock = createManualClock();
  const budget = createBudget({ trickle: 1, clock });
  const { reads } = clock;
  budget.deposit();
  expect(clock.reads).toBe(reads);
});

test("one request a minute with every tenth failing is always retried (Venice #1496)", () => {
  const budget = createBudget();
  const failures = requests(60).filter((minute) => minute % 10 === 0);
  expect(
    failures.every(() => {
      for (const _ of requests(10)) budget.deposit();
      return budget.withdraw();
    }),
  ).toBe(true);
});

test("the null budgets never change", () => {
  for (const budget of [emptyBudget, unlimitedBudget]) {
    const { balance } = budget;
    budget.deposit();
    budget.refund();
    expect(budget.withdraw()).toBe(budget === unlimitedBudget);
    expect(budget.balance).toBe(balance);
  }
  expect(emptyBudget.balance).toBe(0);
});

test.each([
  [{ ratio: Number.NaN }, "Expected `ratio` to be a number from 0 to 1000, got NaN."],
  [{ ratio: -1 }, "Expected `ratio` to be a number from 0 to 1000, got -1."],
  [
    { ratio: Number.POSITIVE_INFINITY },
    "Expected `ratio` to be a number from 0 to 1000, got Infinity.",
  ],
  [{ ratio: "0.1" }, 'Expected `ratio` to be a number from 0 to 1000, got "0.1".'],
  [{ ratio: null }, "Expected `ratio` to be a number from 0 to 1000, got null."],
  [{ ratio: 1e-9 }, "Expected `ratio` to be 0 or at least 0.000001, got 1e-9."],
  [{ capacity: 0.5 }, "Expected `capacity` to be a number from 1 to 1000000000, got 0.5."],
  [{ initial: 11 }, "Expected `initial` to be a number from 0 to 10, got 11."],
  [{ trickle: -1 }, "Expected `trickle` to be a number from 0 to 1000, got -1."],
  [{ cost: 11 }, "Unknown option `cost` (11) in options."],
  [{ clock: {} }, "Expected `clock.now` to be a function, got undefined."],
])("createBudget(%o) throws a TypeError that names the field and the value", (options, message) => {
  const attempt = (): unknown => createBudget(options as never);
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(message);
});
