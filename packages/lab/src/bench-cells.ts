import { createRequire } from "node:module";
import { join } from "node:path";
import { type Copy, copiesOf } from "./matrix-copies.js";

/** One Node binary with one undici. */
export interface BenchCell {
  readonly node: string;
  readonly undici: string;
  readonly nodeVersion: string;
  readonly undiciVersion: string;
}

const require = createRequire(import.meta.url);

export const installHint: string =
  "Without the Node and undici versions of test/matrix, only the running Node is measured.\n" +
  "On Linux x64 this installs them: npm ci --prefix test/matrix\n";

/** undici 8 does not load on Node 20; 7 is what the workspaces are developed with. */
export function dispatchCells(): BenchCell[] {
  return [runningCell(), ...matrixCells([22, 7], [22, 8], [24, 8], [26, 7], [26, 8])];
}

/** Fewer: a round of real requests takes longer. */
export function loopbackCells(): BenchCell[] {
  const cells = matrixCells([26, 7], [26, 8]);
  return cells.length > 0 ? cells : [runningCell()];
}

export function areMatrixCellsThere(): boolean {
  return matrixCells([26, 8]).length > 0;
}

function runningCell(): BenchCell {
  const { version } = require("undici/package.json") as { readonly version: string };
  return {
    node: process.execPath,
    undici: require.resolve("undici"),
    nodeVersion: process.versions.node,
    undiciVersion: version,
  };
}

function matrixCells(...pairs: readonly (readonly [node: number, undici: number])[]): BenchCell[] {
  return pairs.flatMap(([nodeMajor, undiciMajor]) => {
    const node = installedCopy("node", nodeMajor);
    const undici = installedCopy("undici", undiciMajor);
    if (node === undefined || undici === undefined) return [];
    return {
      node: join(node.folder, "bin/node"),
      undici: undici.folder,
      nodeVersion: node.version,
      undiciVersion: undici.version,
    };
  });
}

function installedCopy(of: string, major: number): Copy | undefined {
  const copy = copiesOf(of).find(({ name }) => name === `${of}-${major}`);
  return copy?.version === "" ? undefined : copy;
}
