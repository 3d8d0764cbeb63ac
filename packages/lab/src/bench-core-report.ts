import type { BenchResult } from "./bench.js";
import { plainTable } from "./plain-table.js";

export function reportCore(results: readonly BenchResult[]): string {
  const head = [
    "origins",
    "look-up + deposit + withdraw",
    "ns",
    "times the bare look-up",
    "spread",
  ];
  const rows = plainTable(head, ["right", "left", "right", "right", "right"]);
  for (const { origins, subject, nanoseconds, ratio, least, most } of results) {
    const spread = `${least.toFixed(2)} to ${most.toFixed(2)}`;
    rows.push([origins, subject, nanoseconds.toFixed(1), `${ratio.toFixed(2)}x`, spread]);
  }
  return `${rows.toString()}\n`;
}
