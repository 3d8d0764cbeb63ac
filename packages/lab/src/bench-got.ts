import { Agent } from "node:http";
import type { Got } from "got";
import { answerParent } from "./answer-parent.js";
import { cpuOf, inFlight } from "./bench-cpu.js";
import { gotClient, gotClientNames } from "./bench-got-clients.js";
import { interleave } from "./interleave.js";

/** All clients in one process, in turn, as their differences are smaller than those of processes. */
const [gotUrl = "", origin = "", calls = "0", warmUps = "0", rounds = "0"] = process.argv.slice(2);
const { default: got } = (await import(gotUrl)) as { default: Got };

const measures = gotClientNames.map((name) => {
  const http = new Agent({ keepAlive: true, maxSockets: inFlight });
  const client = gotClient(name, got, { agent: { http } });
  return () => cpuOf(() => client(origin), Number(calls));
});
answerParent(() => interleave(measures, Number(warmUps), Number(rounds)));
