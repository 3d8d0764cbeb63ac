import { AskedProcess } from "./asked-process.js";
import type { BenchCell } from "./bench-cells.js";
import { type InterceptorName, interceptorNames } from "./bench-interceptors.js";
import type { LoopbackRound } from "./bench-loopback.js";
import { interleave } from "./interleave.js";
import { ratiosOf, type Spread, spreadOf } from "./spread.js";

export interface LoopbackRate {
  readonly part: "loopback";
  readonly node: string;
  readonly undici: string;
  readonly perSecond: Readonly<Record<InterceptorName, Spread>>;
  /** CPU microseconds of the client for one request. */
  readonly cpu: Readonly<Record<InterceptorName, Spread>>;
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
// Shorter rounds than what disturbs the machine lasts, so that it meets all clients alike; and new
// processes now and then, since how one was compiled and laid out is worth some percent.
const requests = 1000;
const rounds = 40;
const warmUps = 20;
const generations = 6;
const leastTimesBare = 0.97;
const leastTimesRetry = 1;

type Rounds = Readonly<Record<InterceptorName, LoopbackRound[]>>;

export async function measureLoopback(cell: BenchCell): Promise<LoopbackRate> {
  const all: Rounds = { bare: [], "pass-through": [], retry: [], budget: [] };
  for (let generation = 0; generation < generations; generation++) {
    for (const [index, answers] of (await answersOf(cell)).entries()) {
      all[interceptorNames[index] ?? "bare"].push(...answers);
    }
  }
  const { bare, retry, budget } = all;
  const timesBare = ratiosOf(budget.map(rateOf), bare.map(rateOf));
  const timesRetry = ratiosOf(budget.map(rateOf), retry.map(rateOf));
  return {
    part: "loopback",
    node: cell.nodeVersion,
    undici: cell.clientVersion,
    perSecond: spreadsOf(all, rateOf),
    cpu: spreadsOf(all, cpuOf),
    timesBare,
    timesRetry,
    cpuTimesBare: ratiosOf(budget.map(cpuOf), bare.map(cpuOf)),
    cpuTimesRetry: ratiosOf(budget.map(cpuOf), retry.map(cpuOf)),
    isGoalMet: timesBare.median >= leastTimesBare && timesRetry.median >= leastTimesRetry,
  };
}

/** By interceptor and round. */
async function answersOf({ node, client }: BenchCell): Promise<LoopbackRound[][]> {
  const server = new AskedProcess<"port", number>(serverModule);
  const port = await server.ask("port");
  const workers = interceptorNames.map((name) => {
    const args = [client, name, `http://127.0.0.1:${port}`, String(requests)];
    return new AskedProcess<"measure", LoopbackRound>(clientModule, { node, args });
  });
  const measures = workers.map((worker) => () => worker.ask("measure"));
  const answers = await interleave(measures, warmUps, rounds);
  for (const worker of [...workers, server]) worker.stop();
  return answers;
}

function spreadsOf(
  { bare, retry, budget, "pass-through": passThrough }: Rounds,
  value: (round: LoopbackRound) => number,
): Record<InterceptorName, Spread> {
  return {
    bare: spreadOf(bare.map(value)),
    "pass-through": spreadOf(passThrough.map(value)),
    retry: spreadOf(retry.map(value)),
    budget: spreadOf(budget.map(value)),
  };
}

function rateOf({ perSecond }: LoopbackRound): number {
  return perSecond;
}

function cpuOf({ cpu }: LoopbackRound): number {
  return cpu;
}
