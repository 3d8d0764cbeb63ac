import { satisfies } from "semver";
import type { Cell } from "./matrix-cells.js";

interface Fault {
  readonly client: string;
  /** Ranges of versions. */
  readonly versions: string;
  readonly nodes: string;
  readonly words: string;
}

/** Of a client on a version of Node, with or without a budget: what they concern is skipped there. */
const faults: readonly Fault[] = [
  {
    client: "got",
    versions: "<16",
    nodes: ">=24.20",
    words: "got #2469: a refused connection fails at once, and is not retried",
  },
];

export function faultOf({ client, node, copy }: Cell): string | undefined {
  if (node === undefined) return undefined;
  return faults.find(
    (fault) =>
      fault.client === client &&
      satisfies(copy.version, fault.versions) &&
      satisfies(node.version, fault.nodes),
  )?.words;
}
