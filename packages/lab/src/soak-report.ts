import Table from "cli-table3";
import type { Check, SoakEvidence } from "./soak-checks.js";
import type { SoakPlan } from "./soak-plan.js";

/** For people: what was done, and for each check what was wanted and found. */
export function reportSoak(
  { client, requests, seed }: SoakPlan,
  { tally, counts }: SoakEvidence,
  checks: readonly Check[],
): string {
  const { answered, failed, aborted } = tally;
  const faults = Object.entries(counts.faults).map(([fault, count]) => `${count} ${fault}`);
  return [
    `${client}, ${requests} calls, seed ${seed}: ${answered} answered, ${failed} failed, ${aborted} aborted`,
    `by the server: ${faults.join(", ")}`,
    table(checks),
    "",
  ].join("\n");
}

function table(checks: readonly Check[]): string {
  const rows = new Table({
    head: ["", "wanted", "found", ""],
    colAligns: ["left", "right", "right", "left"],
    style: { head: [], border: [], compact: true },
  });
  for (const { what, wanted, found, holds } of checks) {
    rows.push([what, wanted, found, holds ? "" : "does not hold"]);
  }
  return rows.toString();
}
