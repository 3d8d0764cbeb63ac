import { pRetryCells } from "./bench-cells.js";
import { benchCells } from "./bench-cells-run.js";
import { type PRetryCost, pRetryCosts } from "./bench-p-retry-cost.js";
import type { BenchPlan } from "./bench-processes.js";

const subject = { module: new URL("./bench-p-retry.js", import.meta.url), hasServer: false };
const plan: BenchPlan = { calls: 20_000, warmUps: 8, rounds: 20, generations: 4 };

export function benchPRetry(progress: (done: number, all: number) => void): Promise<PRetryCost[]> {
  return benchCells(pRetryCells(), subject, plan, pRetryCosts, progress);
}
