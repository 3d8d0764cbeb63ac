import { AskedProcess } from "./asked-process.js";
import { onOneProcessor } from "./one-processor.js";

export interface BenchPlan {
  /** Calls of one client in one round. */
  readonly calls: number;
  readonly warmUps: number;
  readonly rounds: number;
  /** New processes now and then: how one was compiled and laid out is a part of the noise. */
  readonly generations: number;
}

export interface BenchProcess {
  /** One that answers with the figures by client and round. */
  readonly module: URL;
  /** The binary. */
  readonly node: string;
  readonly hasServer: boolean;
  /** What comes before the origin, the calls, the warm-ups and the rounds. */
  readonly args?: readonly string[];
}

const serverModule = new URL("./bench-loopback-server.js", import.meta.url);

/** By process, client and round. The server has a process of its own: its CPU time is not the client's. */
export async function measureProcesses(
  subject: BenchProcess,
  plan: BenchPlan,
  tick: () => void,
): Promise<number[][][]> {
  const processes: number[][][] = [];
  for (let generation = 0; generation < plan.generations; generation++) {
    tick();
    processes.push(await measureOnce(subject, plan));
  }
  return processes;
}

async function measureOnce(
  { module, node, hasServer, args = [] }: BenchProcess,
  { calls, warmUps, rounds }: BenchPlan,
): Promise<number[][]> {
  const server = hasServer ? new AskedProcess<"port", number>(serverModule) : undefined;
  const origin = server === undefined ? "" : `http://127.0.0.1:${await server.ask("port")}`;
  const client = new AskedProcess<"measure", number[][]>(module, {
    ...onOneProcessor({ node, execArgv: [] }),
    args: [...args, origin, ...[calls, warmUps, rounds].map(String)],
  });
  const answer = await client.ask("measure");
  client.stop();
  server?.stop();
  return answer;
}
