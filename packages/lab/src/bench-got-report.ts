import type { GotCost } from "./bench-got-cost.js";
import { goalWord } from "./goal-word.js";
import { plainTable } from "./plain-table.js";
import { spreadText } from "./spread-text.js";

export function reportGot(costs: readonly GotCost[]): string {
  const rows = plainTable(["", "", "CPU µs", "times bare", "noise", "goal"]);
  for (const { node, got, client, cpu, timesBare, noise, isGoalMet } of costs) {
    rows.push([
      client === "bare" ? `Node ${node}, got ${got}` : "",
      client,
      spreadText(cpu, 1),
      spreadText(timesBare, 3),
      isGoalMet === undefined ? "" : noise.toFixed(3),
      isGoalMet === undefined ? "" : goalWord(isGoalMet),
    ]);
  }
  return (
    "CPU µs of one request that succeeds, over loopback, 16 connections that stay open; goal: at\n" +
    "most 1.03 times bare. Medians, paired by round, (the middle half of the rounds); noise: the\n" +
    "most that bare times bare was off 1 in one process.\n" +
    `${rows.toString()}\n`
  );
}
