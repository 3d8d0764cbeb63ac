import { type AxiosClientName, axiosClientNames } from "./bench-axios-clients.js";
import { middleSpreadOf, paired, type Spread, spreadOf } from "./spread.js";

export type AxiosPart = "loopback" | "stub";

/** What one client costs, next to the others in the same round. */
export interface AxiosCost {
  readonly part: AxiosPart;
  readonly client: AxiosClientName;
  /** CPU microseconds of one request. */
  readonly cpu: Spread;
  /** What it adds to the bare client's. */
  readonly overBare: Spread;
  readonly overAxiosRetry: Spread;
  /** The most, of either sign, that bare against bare came to in one process. */
  readonly noise: number;
  /** Of ours: whether it is above axios-retry by no more than the noise. */
  readonly isGoalMet?: boolean;
}

/** By client and round. */
type Rounds = readonly (readonly number[])[];

export function axiosCosts(part: AxiosPart, processes: readonly Rounds[]): AxiosCost[] {
  const all = axiosClientNames.map((_, index) => processes.flatMap(roundsAt(index)));
  const noise = noiseOf(processes);
  return axiosClientNames.map((client, index) => {
    const own = all[index] ?? [];
    const overAxiosRetry = above(own, all[axiosClientNames.indexOf("axios-retry")]);
    const cost = {
      part,
      client,
      cpu: middleSpreadOf(own),
      overBare: above(own, all[axiosClientNames.indexOf("bare")]),
      overAxiosRetry,
      noise,
    };
    return client === "ours" ? { ...cost, isGoalMet: overAxiosRetry.median <= noise } : cost;
  });
}

function noiseOf(processes: readonly Rounds[]): number {
  const [bare, again] = [axiosClientNames.indexOf("bare"), axiosClientNames.indexOf("bare again")];
  const medians = processes.map(
    (rounds) => spreadOf(differences(rounds[again] ?? [], rounds[bare])).median,
  );
  return Math.max(...medians.map(Math.abs));
}

function above(own: readonly number[], other: readonly number[] | undefined): Spread {
  return middleSpreadOf(differences(own, other));
}

function differences(own: readonly number[], other: readonly number[] = []): number[] {
  return paired(own, other, (mine, theirs) => mine - theirs);
}

function roundsAt(index: number): (rounds: Rounds) => readonly number[] {
  return (rounds) => rounds[index] ?? [];
}
