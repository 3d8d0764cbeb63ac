import { AskedProcess } from "./asked-process.js";
import type { BenchCell } from "./bench-cells.js";
import { type InterceptorName, interceptorNames } from "./bench-interceptors.js";
import { type RequestKind, requestKinds } from "./captured-requests.js";
import { interleave } from "./interleave.js";
import { onOneProcessor } from "./one-processor.js";
import { paired, ratiosOf, type Spread, spreadOf } from "./spread.js";

export interface DispatchCost {
  readonly part: "dispatch";
  readonly node: string;
  readonly undici: string;
  readonly request: RequestKind;
  /** CPU ns of one exchange: of the bare fake dispatcher, and what each interceptor adds to it. */
  readonly nanoseconds: Readonly<Record<InterceptorName, Spread>>;
  /** What ours adds next to what undici's own retry adds, paired by round. */
  readonly timesRetry: Spread;
  /** The whole exchange with ours, next to the whole with an interceptor that only passes on. */
  readonly timesPassThrough: Spread;
  /** Whether the median of `timesRetry` is at most 0.5. */
  readonly isGoalMet: boolean;
}

// New processes now and then: how one was compiled and laid out is a part of the noise.
const generations = 3;
const rounds = 12;
const warmUps = 3;
// On a busy machine V8's own threads come late, and by chance within what is measured or not.
const singleThreaded = "--single-threaded";
const mostTimesRetry = 0.5;

type Times = Readonly<Record<InterceptorName, number[]>>;

export async function measureDispatch(cell: BenchCell): Promise<DispatchCost[]> {
  const byKind = requestKinds.map(
    (): Times => ({ bare: [], "pass-through": [], retry: [], budget: [] }),
  );
  for (let generation = 0; generation < generations; generation++) {
    for (const [index, rows] of (await answersOf(cell)).entries()) {
      const name = interceptorNames[index] ?? "bare";
      for (const [kind, times] of byKind.entries()) times[name].push(...rows.map(at(kind)));
    }
  }
  return byKind.map((times, kind) => costOf(cell, requestKinds[kind] ?? "GET", times));
}

/** By interceptor, round and kind of request. */
async function answersOf({ node, client }: BenchCell): Promise<number[][][]> {
  const module = new URL("./bench-dispatch.js", import.meta.url);
  const binary = onOneProcessor({ node, execArgv: [singleThreaded] });
  const workers = interceptorNames.map((name) => {
    const options = { ...binary, args: [client, name] };
    return new AskedProcess<"measure", number[]>(module, options);
  });
  const measures = workers.map((worker) => () => worker.ask("measure"));
  const answers = await interleave(measures, warmUps, rounds);
  for (const worker of workers) worker.stop();
  return answers;
}

function costOf(cell: BenchCell, request: RequestKind, times: Times): DispatchCost {
  const { bare, retry, budget } = times;
  const added = (whole: readonly number[]): number[] => paired(whole, bare, (a, b) => a - b);
  const timesRetry = ratiosOf(added(budget), added(retry));
  return {
    part: "dispatch",
    node: cell.nodeVersion,
    undici: cell.clientVersion,
    request,
    nanoseconds: {
      bare: spreadOf(bare),
      "pass-through": spreadOf(added(times["pass-through"])),
      retry: spreadOf(added(retry)),
      budget: spreadOf(added(budget)),
    },
    timesRetry,
    timesPassThrough: ratiosOf(budget, times["pass-through"]),
    isGoalMet: timesRetry.median <= mostTimesRetry,
  };
}

function at(index: number): (row: readonly number[]) => number {
  return (row) => row[index] ?? Number.NaN;
}
