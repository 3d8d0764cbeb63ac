import { pathToFileURL } from "node:url";
import { pRetryCells } from "./bench-cells.js";
import { type PRetryCost, pRetryCosts } from "./bench-p-retry-cost.js";
import { type BenchPlan, measureProcesses } from "./bench-processes.js";

const module = new URL("./bench-p-retry.js", import.meta.url);
const plan: BenchPlan = { calls: 20_000, warmUps: 8, rounds: 20, generations: 4 };

export async function benchPRetry(
  progress: (done: number, all: number) => void,
): Promise<PRetryCost[]> {
  const cells = pRetryCells();
  const costs: PRetryCost[] = [];
  let done = 0;
  const tick = (): void => progress(done++, cells.length * plan.generations);
  for (const cell of cells) {
    const { node, client } = cell;
    const subject = { module, node, hasServer: false, args: [pathToFileURL(client).href] };
    costs.push(...pRetryCosts(cell, await measureProcesses(subject, plan, tick)));
  }
  progress(1, 1);
  return costs;
}
