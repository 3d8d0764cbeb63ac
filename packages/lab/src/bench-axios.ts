import { Agent } from "node:http";
import { AxiosHeaders, type CreateAxiosDefaults } from "axios";
import { answerParent } from "./answer-parent.js";
import { axiosClient, axiosClientNames } from "./bench-axios-clients.js";
import { cpuOf, inFlight } from "./bench-cpu.js";
import { interleave } from "./interleave.js";

/** All clients in one process, in turn, as their differences are smaller than those of processes. */
const [origin = "", calls = "0", warmUps = "0", rounds = "0"] = process.argv.slice(2);

/** Looked up by name, as axios' own are: of this list Node has no `xhr`. */
const stub = Object.assign(
  async (config: object) => ({
    data: '{"ok":true}',
    status: 200,
    statusText: "OK",
    headers: new AxiosHeaders({ "content-type": "application/json", connection: "keep-alive" }),
    config,
  }),
  // Not its source: ours takes note of the names.
  { toString: () => "http" },
);

function defaults(): CreateAxiosDefaults {
  if (origin === "") return { baseURL: "http://stub.example", adapter: ["xhr", stub as never] };
  const httpAgent = new Agent({ keepAlive: true, maxSockets: inFlight });
  return { baseURL: origin, httpAgent, proxy: false };
}

const measures = axiosClientNames.map((name) => {
  const client = axiosClient(name, defaults());
  return () => cpuOf(() => client.get("/"), Number(calls));
});
answerParent(() => interleave(measures, Number(warmUps), Number(rounds)));
