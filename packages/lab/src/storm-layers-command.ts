import { Command, Option } from "commander";
import { runLayers } from "./storm-layers.js";
import { type LayerPolicyName, layerPolicyNames } from "./storm-layers-plan.js";
import { reportLayers } from "./storm-layers-report.js";
import { showProgress } from "./storm-progress.js";
import { whole } from "./whole.js";
import { writeResults } from "./write-results.js";

interface LayersOptions {
  readonly originals: number;
  readonly policy: LayerPolicyName[];
  readonly json?: true;
}

export function layersCommand(): Command {
  return new Command("layers")
    .description(
      "How many requests the last of three tiers gets in outage, by what each layer does.",
    )
    .option("--originals <count>", "requests of users in each run, 1 to 2000", whole(1, 2000), 500)
    .addOption(
      new Option("--policy <name...>", "only these")
        .choices(layerPolicyNames)
        .default([...layerPolicyNames]),
    )
    .option("--json", "one JSON object per line and run; `tiers` is what each tier received")
    .addHelpText(
      "after",
      "\nThe user's client calls tier 1, this tier 2, and this tier 3, each in a process of its own: three\n" +
        "layers that retry. Policies: attempts = 3 attempts in each layer (undici's RetryAgent), budgets =\n" +
        "a retry budget in each layer, marks = the same, and each layer tells the next one that it retries.",
    )
    .action(runAndReport);
}

async function runAndReport({ originals, policy, json }: LayersOptions): Promise<void> {
  const progress = showProgress(originals);
  const results = await runLayers({ policies: policy, originals }, progress).finally(progress.stop);
  writeResults(results, json, () => reportLayers(results, process.stdout.isTTY));
}
