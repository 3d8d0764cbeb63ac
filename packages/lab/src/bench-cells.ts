import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** One Node binary with one undici. */
export interface Cell {
  readonly node: string;
  readonly undici: string;
  readonly nodeVersion: string;
  readonly undiciVersion: string;
}

interface Manifest {
  readonly version: string;
}

const matrix = fileURLToPath(new URL("../../../test/matrix/node_modules/", import.meta.url));
const require = createRequire(import.meta.url);

export const installHint: string =
  "Without the Node and undici versions of test/matrix, only the running Node is measured.\n" +
  "On Linux x64 this installs them: npm ci --prefix test/matrix\n";

/** undici 8 does not load on Node 20; 7 is what the workspaces are developed with. */
export function dispatchCells(): Cell[] {
  return [runningCell(), ...matrixCells([22, 7], [22, 8], [26, 7], [26, 8])];
}

/** Fewer: a round of real requests takes longer. */
export function loopbackCells(): Cell[] {
  const cells = matrixCells([26, 7], [26, 8]);
  return cells.length > 0 ? cells : [runningCell()];
}

export function areMatrixCellsThere(): boolean {
  return matrixCells([26, 8]).length > 0;
}

function runningCell(): Cell {
  return {
    node: process.execPath,
    undici: require.resolve("undici"),
    nodeVersion: process.versions.node,
    undiciVersion: versionOf(require.resolve("undici/package.json")),
  };
}

function matrixCells(...pairs: readonly (readonly [node: number, undici: number])[]): Cell[] {
  return pairs.flatMap(([node, undici]) => {
    const binary = `${matrix}node-${node}/bin/node`;
    const folder = `${matrix}undici-${undici}`;
    if (!existsSync(binary) || !existsSync(folder)) return [];
    return {
      node: binary,
      undici: folder,
      nodeVersion: versionOf(`${matrix}node-${node}/package.json`),
      undiciVersion: versionOf(`${folder}/package.json`),
    };
  });
}

function versionOf(manifest: string): string {
  return (require(manifest) as Manifest).version;
}
