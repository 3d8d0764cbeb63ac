import type { AxiosCost, AxiosPart } from "./bench-axios-cost.js";
import { goalWord } from "./goal-word.js";
import { plainTable } from "./plain-table.js";
import { spreadText } from "./spread-text.js";

const titles: Readonly<Record<AxiosPart, string>> = {
  stub: "Over an adapter without I/O",
  loopback: "Over loopback, 16 connections that stay open",
};

export function reportAxios(costs: readonly AxiosCost[]): string {
  const parts = [...new Set(costs.map(({ part }) => part))];
  return (
    "CPU µs of one request that succeeds; goal: ours adds no more than axios-retry, within the noise\n" +
    "of bare against bare. Medians, differences paired by round, (the middle half of the rounds).\n" +
    parts.map((part) => reportPart(costs.filter((cost) => cost.part === part))).join("")
  );
}

function reportPart(costs: readonly AxiosCost[]): string {
  const rows = plainTable(["", "CPU µs", "over bare", "over axios-retry", "goal"]);
  for (const { client, cpu, overBare, overAxiosRetry, isGoalMet } of costs) {
    rows.push([
      client,
      spreadText(cpu, 1),
      spreadText(overBare, 1),
      spreadText(overAxiosRetry, 1),
      isGoalMet === undefined ? "" : goalWord(isGoalMet),
    ]);
  }
  const [{ part, noise } = { part: "stub" as const, noise: Number.NaN }] = costs;
  return `\n${titles[part]}; noise ${noise.toFixed(1)} µs.\n${rows.toString()}\n`;
}
