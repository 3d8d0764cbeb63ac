import { describe, expect, test } from "vitest";
import { axiosClientNames } from "../packages/lab/src/bench-axios-clients.js";
import { type AxiosCost, axiosCosts } from "../packages/lab/src/bench-axios-cost.js";
import { contextCosts } from "../packages/lab/src/bench-context-cost.js";
import { contextRows, storages, subjectsIn } from "../packages/lab/src/bench-context-plan.js";
import { type GotCost, gotCosts } from "../packages/lab/src/bench-got-cost.js";
import { pRetryCosts } from "../packages/lab/src/bench-p-retry-cost.js";
import { interleave } from "../packages/lab/src/interleave.js";
import { middleSpreadOf } from "../packages/lab/src/spread.js";

test("the subjects of a benchmark take turns in another order in each round", async () => {
  const order: string[] = [];
  const subjects = ["a", "b", "c"].map((name) => async () => order.push(name));
  const answers = await interleave(subjects, 1, 3);
  expect(answers.map((own) => own.length)).toEqual([3, 3, 3]);
  expect(order.join("")).toBe("cba" + "bca" + "acb" + "abc");
});

test("the middle half of the rounds has the same median and no outliers", () => {
  expect(middleSpreadOf([1, 900, 3, 2, 4, -900, 5, 6])).toEqual({ median: 4, least: 2, most: 5 });
});

describe("ours meets its goal next to axios-retry", () => {
  const costsOf = (ours: number, again: number): AxiosCost[] => {
    const cpu = [100, again, 110, ours];
    return axiosCosts("stub", [cpu.map((value) => [value, value + 50, value])]);
  };

  test.each([
    [109, 100, true],
    [112, 102, true],
    [112, 98, true],
    [113, 102, false],
  ])("at %i µs, bare again at %i: %s", (ours, again, isGoalMet) => {
    const costs = costsOf(ours, again);
    expect(costs.map(({ client }) => client)).toEqual(axiosClientNames);
    expect(costs.map((cost) => cost.isGoalMet)).toEqual([
      undefined,
      undefined,
      undefined,
      isGoalMet,
    ]);
    expect(costs[3]).toMatchObject({
      cpu: { median: ours },
      overBare: { median: ours - 100, least: ours - 100, most: ours - 100 },
      overAxiosRetry: { median: ours - 110 },
    });
  });
});

describe("ours meets its goal next to bare got", () => {
  const cell = { nodeVersion: "20.0.0", clientVersion: "14.0.0" };
  const costsOf = (...processes: [again: number, ours: number][]): GotCost[] =>
    gotCosts(
      cell,
      // In the second round the machine is twice as slow.
      processes.map(([again, ours]) => [100, again, ours].map((value) => [value, 2 * value])),
    );

  test.each([
    [103, true],
    [104, false],
  ])("at %i for 100: %s", (ours, isGoalMet) => {
    const costs = costsOf([99, ours], [102, ours]);
    expect(costs.map(({ client }) => client)).toEqual(["bare", "bare again", "ours"]);
    expect(costs.map((cost) => cost.isGoalMet)).toEqual([undefined, undefined, isGoalMet]);
    expect(costs[2]?.timesBare).toMatchObject({ median: ours / 100 });
    expect(costs[2]?.noise).toBeCloseTo(0.02);
  });
});

test("what a budgeted call of pRetry adds is paired by round", () => {
  const cell = { nodeVersion: "20.0.0", clientVersion: "7.0.0" };
  const costs = pRetryCosts(cell, [
    [
      [1, 5],
      [1, 5],
      [2, 6],
    ],
  ]);
  expect(costs.map(({ client }) => client)).toEqual(["bare", "bare again", "ours"]);
  expect(costs[2]).toMatchObject({ pRetry: "7.0.0", overBare: { median: 1, least: 1, most: 1 } });
});

test("what the context costs is paired with the same without it, in the same turn of processes", () => {
  // In the second turn the machine is twice as slow.
  const figuresOf = (storage: number): number[][][] =>
    [1, 2].map((slowness) =>
      subjectsIn(storages[storage] ?? "used").map((_, index) => [
        slowness * (100 * (storage + 1) + index),
      ]),
    );
  const figures = { absent: figuresOf(0), unused: figuresOf(1), used: figuresOf(2) };
  const costs = contextCosts({ nodeVersion: "20.0.0" }, figures);

  expect(costs).toHaveLength(contextRows.length);
  const costOf = (storage: string, subject: string): object | undefined =>
    costs.find((cost) => cost.storage === storage && cost.subject === subject);
  expect(costOf("absent", "a call")).not.toHaveProperty("adds");
  // The second in its process, of 201 to 402; the first in another, of 100 to 200.
  expect(costOf("unused", "a call")).toMatchObject({
    node: "20.0.0",
    adds: { least: 101, most: 202 },
    times: { median: 2.01, least: 2.01, most: 2.01 },
  });
});

test("whatever the context is compared with is measured", () => {
  for (const { over } of contextRows) {
    if (over !== undefined) expect(subjectsIn(over.storage)).toContain(over.subject);
  }
});
