import { gotCells } from "./bench-cells.js";
import { benchCells } from "./bench-cells-run.js";
import { type GotCost, gotCosts } from "./bench-got-cost.js";
import type { BenchPlan } from "./bench-processes.js";

const subject = { module: new URL("./bench-got.js", import.meta.url), hasServer: true };
const plan: BenchPlan = { calls: 300, warmUps: 10, rounds: 30, generations: 6 };

export function benchGot(progress: (done: number, all: number) => void): Promise<GotCost[]> {
  return benchCells(gotCells(), subject, plan, gotCosts, progress);
}
