import { Argument, Command } from "commander";
import { areMatrixCellsThere, installHint } from "./bench-cells.js";
import { type Bench, benches } from "./benches.js";
import { progressBar } from "./progress-bar.js";
import { writeResults } from "./write-results.js";

const command = new Command("bench")
  .description("What the accounting and the adapters cost, next to others, in one run.")
  .addArgument(
    new Argument(
      "[what]",
      "core: one look-up, deposit and withdrawal; undici: the interceptor; context: what tells\n" +
        "layers of each other; others: the adapter",
    )
      .choices(Object.keys(benches))
      .default("core"),
  )
  .option("--json", "one JSON object per line")
  .parse();
const { json } = command.opts<{ readonly json?: true }>();
// One of the choices.
const bench = benches[command.processedArgs[0] as string] as Bench;

if (bench.hasCells && !areMatrixCellsThere()) process.stderr.write(installHint);
const bar = progressBar("measuring {bar} {percentage} %", 10_000);
bar.start(1, 0);
const { lines, report } = await bench.run((done, all) => bar.update(done / all));
bar.stop();
writeResults(lines, json, report);
