import { writeFileSync } from "node:fs";
import { Command, Option } from "commander";
import { runStorm } from "./storm.js";
import { drawStorm } from "./storm-chart.js";
import { layersCommand } from "./storm-layers-command.js";
import { type ClientName, clientNames, type PolicyName, policyNames } from "./storm-plan.js";
import { showProgress } from "./storm-progress.js";
import { reportStorm } from "./storm-report.js";
import { whole } from "./whole.js";
import { writeResults } from "./write-results.js";

/** Above this the generator was too late for its figures to be trusted. */
const mostLag = 250;

interface StormOptions {
  readonly originals: number;
  readonly rate: number;
  readonly client: ClientName[];
  readonly policy: PolicyName[];
  readonly json?: true;
  readonly svg?: string;
}

await new Command("storm")
  // So that what stands after `layers` is its own.
  .enablePositionalOptions()
  .description("How many requests a server in outage gets from each client, by its retry policy.")
  .option("--originals <count>", "original requests of each run, 1 to 10000", whole(1, 10_000), 600)
  .option("--rate <count>", "originals per second, 1 to 500", whole(1, 500), 200)
  .addOption(
    new Option("--client <name...>", "only these clients")
      .choices(clientNames)
      .default([...clientNames]),
  )
  .addOption(
    new Option("--policy <name...>", "only these policies")
      .choices(policyNames)
      .default([...policyNames]),
  )
  .option("--json", "one JSON object per line and run; `lag` is how late the generator was, in ms")
  .option("--svg <file>", "also draw the results into this file")
  .addHelpText(
    "after",
    "\nPolicies: bare = no retries, own = the client's own (undici RetryAgent, axios-retry, got's\n" +
      "default, p-retry with retries: 2), budget = with a retry budget.\n" +
      "Under `npm run` add --silent for --json: npm run --silent storm -- --json",
  )
  .action(runAndReport)
  .addCommand(layersCommand())
  .parseAsync();

async function runAndReport(options: StormOptions): Promise<void> {
  const { originals, rate, client, policy, json, svg } = options;
  // Before the minute that the runs take, not after it.
  if (svg !== undefined) writeFileSync(svg, "");

  const progress = showProgress(originals);
  const results = await runStorm({ clients: client, policies: policy, originals, rate }, progress);
  progress.stop();

  writeResults(results, json, () => reportStorm(results, process.stdout.isTTY));
  const late = results.filter(({ lag }) => lag > mostLag);
  if (svg !== undefined && late.length === 0) writeFileSync(svg, drawStorm(results));
  for (const run of late) {
    process.stderr.write(
      `Void: the generator of ${run.client} ${run.policy} was ${run.lag} ms late. Run it on a quieter machine.\n`,
    );
  }
  process.exitCode = late.length > 0 ? 1 : 0;
}
