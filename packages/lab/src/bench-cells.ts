import { createRequire } from "node:module";
import { join } from "node:path";
import { type Copy, copiesOf, matrixFolder } from "./matrix-copies.js";
import { repository } from "./repository.js";

/** One Node binary. */
export interface NodeCell {
  readonly node: string;
  readonly nodeVersion: string;
}

/** One Node binary with one version of a client. */
export interface BenchCell extends NodeCell {
  /** The path of the client's module. */
  readonly client: string;
  readonly clientVersion: string;
}

const require = createRequire(import.meta.url);

export const installHint: string =
  "Without the Node and client versions of test/matrix, only the running Node is measured.\n" +
  "On Linux x64 this installs them: npm ci --prefix test/matrix\n";

/** undici 8 does not load on Node 20; 7 is what the workspaces are developed with. */
export function dispatchCells(): BenchCell[] {
  return [
    runningCell("undici"),
    ...matrixCells("undici", [22, 7], [22, 8], [24, 8], [26, 7], [26, 8]),
  ];
}

/** Fewer: a round of real requests takes longer. */
export function loopbackCells(): BenchCell[] {
  const cells = matrixCells("undici", [26, 7], [26, 8]);
  return cells.length > 0 ? cells : [runningCell("undici")];
}

/** What the workspace is developed with, and the newest. */
export function gotCells(): BenchCell[] {
  return [runningCell("got"), ...matrixCells("got", [24, 16])];
}

export function pRetryCells(): BenchCell[] {
  return [runningCell("p-retry"), ...matrixCells("p-retry", [24, 9])];
}

/** From Node 24 on AsyncLocalStorage hooks into no promise. */
export function contextCells(): NodeCell[] {
  const running = { node: process.execPath, nodeVersion: process.versions.node };
  return [running, ...matrixNode(24)];
}

export function areMatrixCellsThere(): boolean {
  return matrixCells("undici", [26, 8]).length > 0;
}

function runningCell(client: string): BenchCell {
  const manifest = join(repository, "node_modules", client, "package.json");
  const { version } = require(manifest) as { readonly version: string };
  return {
    node: process.execPath,
    client: require.resolve(client),
    nodeVersion: process.versions.node,
    clientVersion: version,
  };
}

function matrixCells(
  client: string,
  ...pairs: readonly (readonly [nodeMajor: number, clientMajor: number])[]
): BenchCell[] {
  const { resolve } = createRequire(join(matrixFolder, "package.json"));
  return pairs.flatMap(([nodeMajor, clientMajor]) => {
    const copy = installedCopy(client, clientMajor);
    if (copy === undefined) return [];
    return matrixNode(nodeMajor).map((node) => ({
      ...node,
      client: resolve(copy.name),
      clientVersion: copy.version,
    }));
  });
}

/** None where it is not installed. */
function matrixNode(major: number): NodeCell[] {
  const copy = installedCopy("node", major);
  if (copy === undefined) return [];
  return [{ node: join(copy.folder, "bin/node"), nodeVersion: copy.version }];
}

function installedCopy(of: string, major: number): Copy | undefined {
  const copy = copiesOf(of).find(({ name }) => name === `${of}-${major}`);
  return copy?.version === "" ? undefined : copy;
}
