import { AskedProcess } from "./asked-process.js";
import { type AxiosCost, type AxiosPart, axiosCosts } from "./bench-axios-cost.js";
import { onOneProcessor } from "./one-processor.js";

interface Plan {
  readonly part: AxiosPart;
  /** Requests of one client in one round. */
  readonly requests: number;
  readonly warmUps: number;
}

const clientModule = new URL("./bench-axios.js", import.meta.url);
const serverModule = new URL("./bench-loopback-server.js", import.meta.url);
const plans: readonly Plan[] = [
  { part: "stub", requests: 1000, warmUps: 8 },
  { part: "loopback", requests: 300, warmUps: 6 },
];
// New processes now and then: how one was compiled and laid out is a part of the noise.
const generations = 4;
const rounds = 20;

export async function benchAxios(
  progress: (done: number, all: number) => void,
): Promise<AxiosCost[]> {
  const costs: AxiosCost[] = [];
  let done = 0;
  for (const plan of plans) {
    const processes: number[][][] = [];
    for (let generation = 0; generation < generations; generation++) {
      progress(done++, plans.length * generations);
      processes.push(await measureOnce(plan));
    }
    costs.push(...axiosCosts(plan.part, processes));
  }
  progress(1, 1);
  return costs;
}

/** By client and round. The server has a process of its own: its CPU time is not the client's. */
async function measureOnce({ part, requests, warmUps }: Plan): Promise<number[][]> {
  const server = new AskedProcess<"port", number>(serverModule);
  const origin = part === "stub" ? "" : `http://127.0.0.1:${await server.ask("port")}`;
  const client = new AskedProcess<"measure", number[][]>(clientModule, {
    ...onOneProcessor({ node: process.execPath, execArgv: [] }),
    args: [origin, ...[requests, warmUps, rounds].map(String)],
  });
  const answer = await client.ask("measure");
  for (const asked of [client, server]) asked.stop();
  return answer;
}
