import { Argument, Command } from "commander";
import { cellsOf, titleOf } from "./matrix-cells.js";
import { installMatrix } from "./matrix-install.js";
import { lineOf, reportMatrix } from "./matrix-report.js";
import { runMatrix } from "./matrix-run.js";
import { progressBar } from "./progress-bar.js";

const command = new Command("matrix")
  .description("The tests of an adapter under each Node with each version of its client.")
  .addArgument(
    new Argument("<client>", "whose adapter").choices(["undici", "axios", "got", "p-retry"]),
  )
  .option("--json", "one JSON object per line and cell; the table goes to stderr")
  .addHelpText("after", "\nOnly on Linux x64, for which the Node binaries of test/matrix are.")
  .parse();
const [client = ""] = command.args;
const { json } = command.opts<{ readonly json?: true }>();

const obstacle = installMatrix();
if (obstacle !== undefined) command.error(obstacle);

const cells = cellsOf(client);
const bar = progressBar("{bar} {value}/{total} {cell}", 30_000);
bar.start(cells.length, 0, { cell: "" });
const results = await runMatrix(cells, {
  begin: (cell) => bar.update({ cell: titleOf(cell) }),
  end: () => bar.increment(),
});
bar.stop();

const table = `${reportMatrix(results)}\n`;
if (json === true) {
  process.stderr.write(table);
  for (const result of results) process.stdout.write(`${lineOf(result)}\n`);
} else process.stdout.write(table);
const isFaulty = results.some((result) => !("absent" in result) && result.failed > 0);
process.exitCode = isFaulty ? 1 : 0;
