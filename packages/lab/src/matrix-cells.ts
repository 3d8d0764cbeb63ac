import { satisfies } from "semver";
import { type Copy, copiesOf } from "./matrix-copies.js";

/** The tests of one client under one version of Node with one version of the client. */
export interface Cell {
  readonly client: string;
  /** Without it: the types of the client, which need no Node. */
  readonly node?: Copy;
  readonly copy: Copy;
}

export interface CellCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
  readonly skips: readonly string[];
}

export type CellResult = Cell & (CellCounts | { readonly absent: string });

/** Row by row: a Node with each copy of the client; and at the end the types. */
export function cellsOf(client: string): Cell[] {
  const copies = copiesOf(client);
  return [
    ...copiesOf("node").flatMap((node) => copies.map((copy) => ({ client, node, copy }))),
    ...copies.map((copy) => ({ client, copy })),
  ];
}

/** Why this cell cannot exist. */
export function absenceOf({ client, node, copy }: Cell): string | undefined {
  if (node === undefined || satisfies(node.version, copy.needsNode)) return undefined;
  return `${client} ${copy.version} needs Node ${copy.needsNode}`;
}

/** As "Node 22.23.5", or "types". */
export function rowOf({ node }: Cell): string {
  return node === undefined ? "types" : `Node ${node.version}`;
}

/** As "undici 8.13.1, Node 22.23.5". */
export function titleOf(cell: Cell): string {
  return `${cell.client} ${cell.copy.version}, ${rowOf(cell)}`;
}
