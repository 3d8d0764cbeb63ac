import { createManualClock, createSeededRandom } from "@retry-budget/core/testing";
import { expect, test } from "vitest";

test("the manual clock calls back what is due, in order, and also what that schedules", () => {
  const clock = createManualClock(1000);
  const log: unknown[] = [];
  clock.schedule(() => log.push(["second", clock.now()]), 20);
  clock.schedule(() => {
    log.push(["first", clock.now()]);
    clock.schedule(() => log.push(["nested", clock.now()]), 5);
  }, 10);
  const cancel = clock.schedule(() => log.push("never"), 15);
  clock.schedule(() => log.push("later"), 100);
  cancel();
  clock.advance(50);
  expect(log).toEqual([
    ["first", 10],
    ["nested", 15],
    ["second", 20],
  ]);
  expect([clock.now(), clock.wall(), clock.pending]).toEqual([50, 1050, 1]);
});

test("the manual clock counts its readings", () => {
  const clock = createManualClock();
  clock.now();
  clock.wall();
  expect(clock.reads).toBe(2);
});

test("the seeded random repeats itself for a seed, differs between seeds, and is even", () => {
  const draw = (seed: number): number[] => {
    const random = createSeededRandom(seed);
    return Array.from({ length: 10_000 }, random);
  };
  const numbers = draw(1);
  expect(draw(1)).toEqual(numbers);
  expect(draw(2)).not.toEqual(numbers);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(numbers.reduce((sum, number) => sum + number) / numbers.length).toBeCloseTo(0.5, 1);
});
