import { answerParent } from "./answer-parent.js";
import { cpuOf } from "./bench-cpu.js";
import type { PRetryModule } from "./bench-p-retry-clients.js";
import { pRetryClient, pRetryClientNames } from "./bench-p-retry-clients.js";
import { interleave } from "./interleave.js";

/** All in one process, in turn, as their differences are smaller than those of processes. */
const [url = "", , calls = "0", warmUps = "0", rounds = "0"] = process.argv.slice(2);
const module = (await import(url)) as PRetryModule;

const operation = async (): Promise<string> => "done";
const measures = pRetryClientNames.map((name) => {
  const pRetry = pRetryClient(name, module);
  return () => cpuOf(() => pRetry(operation, { retries: 2 }), Number(calls));
});
answerParent(() => interleave(measures, Number(warmUps), Number(rounds)));
