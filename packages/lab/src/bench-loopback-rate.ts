import { AskedProcess } from "./asked-process.js";
import type { BenchCell } from "./bench-cells.js";
import type { InterceptorName } from "./bench-interceptors.js";
import type { LoopbackRound } from "./bench-loopback.js";
import { interleave } from "./interleave.js";
import { ratiosOf, type Spread, spreadOf } from "./spread.js";

type ClientName = Exclude<InterceptorName, "pass-through">;

export interface LoopbackRate {
  readonly part: "loopback";
  readonly node: string;
  readonly undici: string;
  readonly perSecond: Readonly<Record<ClientName, Spread>>;
  /** CPU microseconds of the client for one request. */
  readonly cpu: Readonly<Record<ClientName, Spread>>;
  /** Our rate next to the others', paired by round. */
  readonly timesBare: Spread;
  readonly timesRetry: Spread;
  readonly cpuTimesBare: Spread;
  readonly cpuTimesRetry: Spread;
  /** Whether the medians are at least 0.97 and 1. */
  readonly isGoalMet: boolean;
}

const serverModule = new URL("./bench-loopback-server.js", import.meta.url);
const clientModule = new URL("./bench-loopback.js", import.meta.url);
const clients: readonly ClientName[] = ["bare", "retry", "budget"];
// Many short rounds: what disturbs one of them disturbs less of the whole.
const requests = 8000;
const rounds = 30;
const warmUps = 4;
const leastTimesBare = 0.97;
const leastTimesRetry = 1;

export async function measureLoopback(cell: BenchCell): Promise<LoopbackRate> {
  const server = new AskedProcess<"port", number>(serverModule);
  const port = await server.ask("port");
  const workers = clients.map((name) => {
    const args = [cell.undici, name, `http://127.0.0.1:${port}`, String(requests)];
    return new AskedProcess<"measure", LoopbackRound>(clientModule, { node: cell.node, args });
  });
  const [bare = [], retry = [], budget = []] = await interleave(workers, warmUps, rounds);
  for (const worker of workers) worker.stop();
  server.stop();
  const timesBare = ratiosOf(budget.map(rateOf), bare.map(rateOf));
  const timesRetry = ratiosOf(budget.map(rateOf), retry.map(rateOf));
  const each = (value: (round: LoopbackRound) => number): Record<ClientName, Spread> => ({
    bare: spreadOf(bare.map(value)),
    retry: spreadOf(retry.map(value)),
    budget: spreadOf(budget.map(value)),
  });
  return {
    part: "loopback",
    node: cell.nodeVersion,
    undici: cell.undiciVersion,
    perSecond: each(rateOf),
    cpu: each(cpuOf),
    timesBare,
    timesRetry,
    cpuTimesBare: ratiosOf(budget.map(cpuOf), bare.map(cpuOf)),
    cpuTimesRetry: ratiosOf(budget.map(cpuOf), retry.map(cpuOf)),
    isGoalMet: timesBare.median >= leastTimesBare && timesRetry.median >= leastTimesRetry,
  };
}

function rateOf({ perSecond }: LoopbackRound): number {
  return perSecond;
}

function cpuOf({ cpu }: LoopbackRound): number {
  return cpu;
}
