import { SingleBar } from "cli-progress";
import Table from "cli-table3";
import { Command } from "commander";
import { type BenchResult, runBench } from "./bench.js";

const { json } = new Command("bench")
  .description("What one look-up, deposit and withdrawal costs, next to others, in one run.")
  .option("--json", "one JSON object per line")
  .parse()
  .opts<{ readonly json?: true }>();

const sizes = [1, 100, 10_000];
const rounds = 9;

const bar = new SingleBar({
  format: "measuring {bar} {percentage} %",
  stream: process.stderr,
  // A line now and then where there is no terminal.
  noTTYOutput: true,
  notTTYSchedule: 10_000,
  hideCursor: true,
});
bar.start(1, 0);
const results = await runBench(sizes, rounds, (done, all) => bar.update(done / all));
bar.stop();

if (json === true)
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
else process.stdout.write(`${table(results)}\n`);

function table(entries: readonly BenchResult[]): string {
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
  for (const { origins, subject, nanoseconds, ratio, least, most } of entries) {
    const spread = `${least.toFixed(2)} to ${most.toFixed(2)}`;
    rows.push([origins, subject, nanoseconds.toFixed(1), `${ratio.toFixed(2)}x`, spread]);
  }
  return rows.toString();
}
