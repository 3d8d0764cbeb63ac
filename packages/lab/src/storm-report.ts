import { stripVTControlCharacters } from "node:util";
import { amplificationBars, times } from "./amplification-bars.js";
import { plainTable } from "./plain-table.js";
import type { StormResult } from "./storm-plan.js";

const colors = { bare: "white", own: "red", budget: "green" } as const;

/** A table of the counts and a bar for each amplification; in colours only where they are wanted. */
export function reportStorm(results: readonly StormResult[], colored: boolean): string {
  const bars = results.map(({ client, policy, amplification }) => {
    return { name: `${client} ${policy}`, amplification, color: colors[policy] };
  });
  const title = "Requests at the failing server for each original request";
  const report = `${table(results)}\n\n${amplificationBars(title, bars)}\n`;
  return colored ? report : stripVTControlCharacters(report);
}

function table(results: readonly StormResult[]): string {
  const head = [
    "client",
    "policy",
    "originals",
    "received",
    "retries",
    "succeeded",
    "amplification",
  ];
  const right = Array.from({ length: 5 }, () => "right" as const);
  const rows = plainTable(head, ["left", "left", ...right]);
  for (const { client, policy, amplification, ...counts } of results) {
    const { originals, received, retries, succeeded } = counts;
    rows.push([client, policy, originals, received, retries, succeeded, times(amplification)]);
  }
  return rows.toString();
}
