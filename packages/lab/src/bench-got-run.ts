import { pathToFileURL } from "node:url";
import { gotCells } from "./bench-cells.js";
import { type GotCost, gotCosts } from "./bench-got-cost.js";
import { type BenchPlan, measureProcesses } from "./bench-processes.js";

const module = new URL("./bench-got.js", import.meta.url);
const plan: BenchPlan = { calls: 300, warmUps: 10, rounds: 30, generations: 6 };

export async function benchGot(progress: (done: number, all: number) => void): Promise<GotCost[]> {
  const cells = gotCells();
  const costs: GotCost[] = [];
  let done = 0;
  const tick = (): void => progress(done++, cells.length * plan.generations);
  for (const cell of cells) {
    const { node, client } = cell;
    const subject = { module, node, hasServer: true, args: [pathToFileURL(client).href] };
    costs.push(...gotCosts(cell, await measureProcesses(subject, plan, tick)));
  }
  progress(1, 1);
  return costs;
}
