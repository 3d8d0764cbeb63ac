import { join } from "node:path";
import type { CellCounts } from "./matrix-cells.js";
import { type Copy, matrixFolder } from "./matrix-copies.js";
import { runProcess } from "./matrix-process.js";

const longestCheck = 120_000;

/** Whether the adapter's source and the test of its types compile against this copy's types. */
export async function checkTypes({ name }: Copy): Promise<CellCounts> {
  const project = join(matrixFolder, `tsconfig.${name}.json`);
  const tsc = ["node_modules/typescript/bin/tsc", "-p", project, "--pretty", "false"];
  const { code, output } = await runProcess(process.execPath, tsc, {}, longestCheck);
  const none = { skipped: 0, skips: [] };
  if (code === 0) return { ...none, passed: 1, failed: 0, failures: [] };
  return { ...none, passed: 0, failed: 1, failures: [output || `tsc ended with ${code}`] };
}
