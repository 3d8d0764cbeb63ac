import { spawnSync } from "node:child_process";

export interface Binary {
  readonly node: string;
  readonly execArgv: readonly string[];
}

const pinned = ["-c", "0"];
let isThere: boolean | undefined;

/**
 * The same Node on the first processor alone, where `taskset` is there (Linux). Processors of a
 * shared machine differ in speed by the second; what is compared must run on one.
 */
export function onOneProcessor({ node, execArgv }: Binary): Binary {
  isThere ??= spawnSync("taskset", [...pinned, node, "--version"]).status === 0;
  if (!isThere) return { node, execArgv };
  return { node: "taskset", execArgv: [...pinned, node, ...execArgv] };
}
