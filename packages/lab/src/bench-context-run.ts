import { contextCells, type NodeCell } from "./bench-cells.js";
import { type ContextCost, contextCosts } from "./bench-context-cost.js";
import { type Storage, storages } from "./bench-context-plan.js";
import { type BenchPlan, measureProcesses } from "./bench-processes.js";

const module = new URL("./bench-context.js", import.meta.url);
const plan: BenchPlan = { calls: 20_000, warmUps: 5, rounds: 12, generations: 1 };
/** Of processes: a noisy minute meets those that are compared. */
const turns = 4;

export async function benchContext(
  progress: (done: number, all: number) => void,
): Promise<ContextCost[]> {
  const cells = contextCells();
  let done = 0;
  const tick = (): void => progress(done++, cells.length * turns * storages.length);
  const costs: ContextCost[] = [];
  for (const cell of cells) costs.push(...(await measureCell(cell, tick)));
  progress(1, 1);
  return costs;
}

async function measureCell(cell: NodeCell, tick: () => void): Promise<ContextCost[]> {
  const figures: Record<Storage, number[][][]> = { absent: [], unused: [], used: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const storage of storages) {
      const subject = { module, node: cell.node, hasServer: false, args: [storage] };
      figures[storage].push(...(await measureProcesses(subject, plan, tick)));
    }
  }
  return contextCosts(cell, figures);
}
