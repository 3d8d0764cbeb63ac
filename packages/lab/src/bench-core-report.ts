import Table from "cli-table3";
import type { BenchResult } from "./bench.js";

export function reportCore(results: readonly BenchResult[]): string {
  const head = [
    "origins",
    "look-up + deposit + withdraw",
    "ns",
    "times the bare look-up",
    "spread",
  ];
  const rows = new Table({
    head,
    colAligns: ["right", "left", "right", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  for (const { origins, subject, nanoseconds, ratio, least, most } of results) {
    const spread = `${least.toFixed(2)} to ${most.toFixed(2)}`;
    rows.push([origins, subject, nanoseconds.toFixed(1), `${ratio.toFixed(2)}x`, spread]);
  }
  return `${rows.toString()}\n`;
}
