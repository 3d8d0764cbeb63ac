import { stripVTControlCharacters } from "node:util";
import { amplificationBars, times } from "./amplification-bars.js";
import { plainTable } from "./plain-table.js";
import type { LayersResult } from "./storm-layers-plan.js";

const colors = { attempts: "red", budgets: "yellow", marks: "green" } as const;

/** A table of the counts and a bar for each amplification; in colours only where they are wanted. */
export function reportLayers(results: readonly LayersResult[], colored: boolean): string {
  const bars = results.map(({ policy, amplification }) => {
    return { name: policy, amplification, color: colors[policy] };
  });
  const title = "Requests at the last tier, which fails, for each request of a user";
  const report = `${table(results)}\n\n${amplificationBars(title, bars)}\n`;
  return colored ? report : stripVTControlCharacters(report);
}

function table(results: readonly LayersResult[]): string {
  const head = ["each layer", "originals", "at tier 1", "at tier 2", "at tier 3", "amplification"];
  const right = Array.from({ length: 5 }, () => "right" as const);
  const rows = plainTable(head, ["left", ...right]);
  for (const { policy, originals, tiers, amplification } of results) {
    rows.push([policy, originals, ...tiers, times(amplification)]);
  }
  return rows.toString();
}
