import { Argument, Command } from "commander";
import { progressBar } from "./progress-bar.js";
import { runSoak } from "./soak.js";
import { checkSoak } from "./soak-checks.js";
import { type SoakClientName, soakClientNames } from "./soak-plan.js";
import { reportSoak } from "./soak-report.js";
import { whole } from "./whole.js";

interface SoakOptions {
  readonly requests: number;
  readonly seed: number;
  readonly json?: true;
}

const command = new Command("soak")
  .description("Very many calls with every fault there is: all must add up, and nothing be left.")
  .addArgument(new Argument("<client>", "whose adapter").choices(soakClientNames))
  .option("--requests <count>", "calls in all", whole(5000, 1_000_000), 100_000)
  .option(
    "--seed <number>",
    "of the random faults, by default another one each time",
    whole(0, 2 ** 32 - 1),
    Math.floor(Math.random() * 2 ** 32),
  )
  .option("--json", "one JSON object; `originals` and `retries` are those to the counting server")
  .parse();
const [client] = command.processedArgs as [SoakClientName];
const { requests, seed, json } = command.opts<SoakOptions>();
const plan = { client, requests, seed };

const bar = progressBar("soaking {bar} {value}/{total} calls settled", 10_000);
bar.start(requests, 0);
const evidence = await runSoak(plan, (settled) => bar.update(settled)).catch(giveUp);
bar.stop();

const checks = checkSoak(evidence);
const failures = checks.filter(({ holds }) => !holds);
if (json === true) {
  const { counts, server, heapBefore, heapAfter, openResources } = evidence;
  const result = {
    ...plan,
    received: counts.received,
    originals: server.originals,
    retries: server.retries,
    heapBefore,
    heapAfter,
    openResources: openResources.length,
    ok: failures.length === 0,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} else process.stdout.write(reportSoak(plan, evidence, checks));
for (const { what, wanted, found } of failures) {
  process.stderr.write(
    `Does not hold with seed ${seed}: ${what}: wanted ${wanted}, found ${found}\n`,
  );
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** What has stalled keeps the process alive, and the soak catches what nobody else does. */
function giveUp(error: unknown): never {
  bar.stop();
  process.stderr.write(`${(error as Error).message} The seed is ${seed}.\n`);
  process.exit(1);
}
