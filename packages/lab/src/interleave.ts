import type { AskedProcess } from "./asked-process.js";

/** Every worker once in each round, each round in another order; the warm-up rounds do not count. */
export async function interleave<Answer>(
  workers: readonly AskedProcess<"measure", Answer>[],
  warmUps: number,
  rounds: number,
): Promise<Answer[][]> {
  const answers = workers.map((): Answer[] => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < workers.length; turn++) {
      const index = (turn + round + warmUps) % workers.length;
      const answer = await workers[index]?.ask("measure");
      if (round >= 0 && answer !== undefined) answers[index]?.push(answer);
    }
  }
  return answers;
}
