import Table from "cli-table3";
import { type CellResult, rowOf, titleOf } from "./matrix-cells.js";
import { faultOf } from "./matrix-faults.js";

/**
 * Rows of Node by columns of the client, then the faults of the client itself, what failed, and what
 * was skipped in which cells.
 */
export function reportMatrix(results: readonly CellResult[]): string {
  return [table(results), ...faults(results), ...failures(results), ...skips(results)].join("\n");
}

/** One line of JSON for a cell. */
export function lineOf(result: CellResult): string {
  const { client, node, copy } = result;
  const cell = { client, ...(node && { node: node.version }), version: copy.version };
  if ("absent" in result) return JSON.stringify({ ...cell, absent: result.absent });
  const { passed, failed, skipped } = result;
  const counts = { passed, failed, skipped };
  return JSON.stringify({
    ...cell,
    ...(node ? {} : { types: true }),
    ...counts,
    fault: faultOf(result),
  });
}

function table(results: readonly CellResult[]): string {
  const copies = new Set(results.map(({ client, copy }) => `${client} ${copy.version}`));
  const rows = new Table({ head: ["", ...copies], style: { head: [], border: [] } });
  for (const row of new Set(results.map(rowOf))) {
    rows.push([row, ...results.filter((result) => rowOf(result) === row).map(wordsOf)]);
  }
  return rows.toString();
}

function wordsOf(result: CellResult): string {
  if ("absent" in result) return `none: ${result.absent}`;
  const { passed, failed, skipped } = result;
  const mark = faultOf(result) === undefined ? "" : " *";
  return `${passed} passed${mark}\n${failed} failed\n${skipped} skipped`;
}

function faults(results: readonly CellResult[]): string[] {
  const found = new Set(results.map(faultOf).filter((fault) => fault !== undefined));
  return [...found].map((fault) => `* ${fault}`);
}

function failures(results: readonly CellResult[]): string[] {
  return results.flatMap((result) =>
    "absent" in result
      ? []
      : result.failures.map((failure) => `\nFAILED with ${titleOf(result)}: ${failure}`),
  );
}

function skips(results: readonly CellResult[]): string[] {
  const cells = new Map<string, string[]>();
  for (const result of results) {
    if ("absent" in result) continue;
    for (const skip of result.skips) cells.set(skip, [...(cells.get(skip) ?? []), titleOf(result)]);
  }
  return [...cells].map(([skip, titles]) => `\nSkipped: ${skip}\n  with ${titles.join("; ")}`);
}
