import { absenceOf, type Cell, type CellCounts, type CellResult } from "./matrix-cells.js";
import { runTests } from "./matrix-tests.js";
import { checkTypes } from "./matrix-types.js";

export interface MatrixProgress {
  begin(cell: Cell): void;
  end(): void;
}

/** One cell after the other: their tests have times to keep. */
export async function runMatrix(
  cells: readonly Cell[],
  progress: MatrixProgress,
): Promise<CellResult[]> {
  const results: CellResult[] = [];
  for (const cell of cells) {
    progress.begin(cell);
    const absent = absenceOf(cell);
    results.push({ ...cell, ...(absent === undefined ? await runCell(cell) : { absent }) });
    progress.end();
  }
  return results;
}

function runCell({ client, node, copy }: Cell): Promise<CellCounts> {
  return node === undefined ? checkTypes(copy) : runTests(client, node, copy);
}
