import { pathToFileURL } from "node:url";
import type { BenchCell } from "./bench-cells.js";
import { type BenchPlan, type BenchProcess, measureProcesses } from "./bench-processes.js";

type Subject = Pick<BenchProcess, "module" | "hasServer">;
type CostsOf<Cost> = (cell: BenchCell, processes: number[][][]) => Cost[];

/** One cell after the other; each process is told where the cell's client is. */
export async function benchCells<Cost>(
  cells: readonly BenchCell[],
  subject: Subject,
  plan: BenchPlan,
  costsOf: CostsOf<Cost>,
  progress: (done: number, all: number) => void,
): Promise<Cost[]> {
  const costs: Cost[] = [];
  let done = 0;
  const tick = (): void => progress(done++, cells.length * plan.generations);
  for (const cell of cells) {
    const { node, client } = cell;
    const args = [pathToFileURL(client).href];
    costs.push(...costsOf(cell, await measureProcesses({ ...subject, node, args }, plan, tick)));
  }
  progress(1, 1);
  return costs;
}
