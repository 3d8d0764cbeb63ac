import type { PRetryCost } from "./bench-p-retry-cost.js";
import { plainTable } from "./plain-table.js";
import { spreadText } from "./spread-text.js";

export function reportPRetry(costs: readonly PRetryCost[]): string {
  const rows = plainTable(["", "", "CPU µs", "over bare"]);
  for (const { node, pRetry, client, cpu, overBare } of costs) {
    const cell = client === "bare" ? `Node ${node}, p-retry ${pRetry}` : "";
    rows.push([cell, client, spreadText(cpu, 2), spreadText(overBare, 2)]);
  }
  return (
    "CPU µs of one call of pRetry whose operation succeeds at once. Medians, differences paired by\n" +
    `round, (the middle half of the rounds).\n${rows.toString()}\n`
  );
}
