import { Agent } from "node:http";
import { AxiosHeaders, type AxiosInstance, type CreateAxiosDefaults } from "axios";
import { answerParent } from "./answer-parent.js";
import { axiosClient, axiosClientNames } from "./bench-axios-clients.js";
import { interleave } from "./interleave.js";

/** All clients in one process, in turn, as their differences are smaller than those of processes. */
const [origin = "", requests = "0", warmUps = "0", rounds = "0"] = process.argv.slice(2);
const inFlight = 16;

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

/** CPU microseconds of one request. */
async function cpuOf(client: AxiosInstance): Promise<number> {
  const slice = Number(requests);
  let sent = 0;
  const sendInTurn = async (): Promise<void> => {
    while (sent < slice) {
      sent++;
      await client.get("/");
    }
  };
  const begin = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, sendInTurn));
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / slice;
}

const measures = axiosClientNames.map((name) => {
  const client = axiosClient(name, defaults());
  return () => cpuOf(client);
});
answerParent(() => interleave(measures, Number(warmUps), Number(rounds)));
