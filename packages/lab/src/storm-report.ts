import { stripVTControlCharacters } from "node:util";
import Chartscii from "chartscii";
import Table from "cli-table3";
import type { StormResult } from "./storm-plan.js";

const colors = { bare: "white", own: "red", budget: "green" } as const;

/** A table of the counts and a bar for each amplification; in colours only where they are wanted. */
export function reportStorm(results: readonly StormResult[], colored: boolean): string {
  const report = `${table(results)}\n\n${chart(results)}\n`;
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
  const rows = new Table({
    head,
    colAligns: ["left", "left", ...right],
    style: { head: [], border: [], compact: true },
  });
  for (const { client, policy, amplification, ...counts } of results) {
    const { originals, received, retries, succeeded } = counts;
    rows.push([client, policy, originals, received, retries, succeeded, times(amplification)]);
  }
  return rows.toString();
}

function chart(results: readonly StormResult[]): string {
  const bars = results.map(({ client, policy, amplification }) => ({
    label: `${client} ${policy} ${times(amplification)}`,
    value: amplification,
    color: colors[policy],
  }));
  const title = "Requests at the failing server for each original request";
  return new Chartscii(bars, {
    title,
    width: 60,
    barSize: 1,
    padding: 0,
    sort: false,
    naked: true,
  }).create();
}

function times(amplification: number): string {
  return `${amplification.toFixed(3)}x`;
}
