import type { BenchCell } from "./bench-cells.js";
import { type GotClientName, gotClientNames } from "./bench-got-clients.js";
import { middleSpreadOf, paired, type Spread, spreadOf } from "./spread.js";

/** What one client costs, next to the bare one in the same round. */
export interface GotCost {
  readonly node: string;
  readonly got: string;
  readonly client: GotClientName;
  /** CPU microseconds of one request. */
  readonly cpu: Spread;
  readonly timesBare: Spread;
  /** The most, in either direction, that bare times bare was off 1 in one process. */
  readonly noise: number;
  /** Of ours: whether the median is at most 1.03. */
  readonly isGoalMet?: boolean;
}

const mostTimesBare = 1.03;

type Rounds = readonly (readonly number[])[];

/** @param processes by client and round */
export function gotCosts(
  { nodeVersion, clientVersion }: Pick<BenchCell, "nodeVersion" | "clientVersion">,
  processes: readonly Rounds[],
): GotCost[] {
  const medians = processes.map((rounds) => spreadOf(timesBareOf("bare again", rounds)).median);
  const noise = Math.max(...medians.map((median) => Math.abs(median - 1)));
  return gotClientNames.map((client) => {
    const timesBare = middleSpreadOf(processes.flatMap((rounds) => timesBareOf(client, rounds)));
    const cost = {
      node: nodeVersion,
      got: clientVersion,
      client,
      cpu: middleSpreadOf(processes.flatMap((rounds) => roundsOf(client, rounds))),
      timesBare,
      noise,
    };
    return client === "ours" ? { ...cost, isGoalMet: timesBare.median <= mostTimesBare } : cost;
  });
}

function timesBareOf(client: GotClientName, rounds: Rounds): number[] {
  return paired(roundsOf(client, rounds), roundsOf("bare", rounds), (own, bare) => own / bare);
}

function roundsOf(client: GotClientName, rounds: Rounds): readonly number[] {
  return rounds[gotClientNames.indexOf(client)] ?? [];
}
