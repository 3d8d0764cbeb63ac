import { Argument, Command } from "commander";
import { runBench } from "./bench.js";
import { reportAxios } from "./bench-axios-report.js";
import { benchAxios } from "./bench-axios-run.js";
import { areMatrixCellsThere, installHint } from "./bench-cells.js";
import { reportCore } from "./bench-core-report.js";
import { reportGot } from "./bench-got-report.js";
import { benchGot } from "./bench-got-run.js";
import { reportPRetry } from "./bench-p-retry-report.js";
import { benchPRetry } from "./bench-p-retry-run.js";
import { benchUndici } from "./bench-undici.js";
import { reportUndici } from "./bench-undici-report.js";
import { progressBar } from "./progress-bar.js";

const command = new Command("bench")
  .description("What the accounting and the adapters cost, next to others, in one run.")
  .addArgument(
    new Argument(
      "[what]",
      "core: one look-up, deposit and withdrawal; undici: the interceptor; others: the adapter",
    )
      .choices(["core", "undici", "axios", "got", "p-retry"])
      .default("core"),
  )
  .option("--json", "one JSON object per line")
  .parse();
const [what] = command.processedArgs as ["core" | "undici" | "axios" | "got" | "p-retry"];
const { json } = command.opts<{ readonly json?: true }>();

const sizes = [1, 100, 10_000];
const rounds = 9;

const bar = progressBar("measuring {bar} {percentage} %", 10_000);
const progress = (done: number, all: number): void => bar.update(done / all);

if (["undici", "got", "p-retry"].includes(what) && !areMatrixCellsThere())
  process.stderr.write(installHint);
bar.start(1, 0);
if (what === "core") {
  const results = await runBench(sizes, rounds, progress);
  bar.stop();
  write(results, () => reportCore(results));
} else if (what === "axios") {
  const results = await benchAxios(progress);
  bar.stop();
  write(results, () => reportAxios(results));
} else if (what === "got") {
  const results = await benchGot(progress);
  bar.stop();
  write(results, () => reportGot(results));
} else if (what === "p-retry") {
  const results = await benchPRetry(progress);
  bar.stop();
  write(results, () => reportPRetry(results));
} else {
  const results = await benchUndici(progress);
  bar.stop();
  write([...results.dispatch, ...results.loopback], () => reportUndici(results));
}

function write(results: readonly object[], report: () => string): void {
  const lines = (): string => results.map((result) => `${JSON.stringify(result)}\n`).join("");
  process.stdout.write(json === true ? lines() : report());
}
