/**
 * Every subject once in each round; the warm-up rounds do not count. Each round begins with another
 * subject, and every second one goes backwards: what one leaves behind, as garbage, meets not always
 * the same next one.
 */
export async function interleave<Answer>(
  subjects: readonly (() => Promise<Answer>)[],
  warmUps: number,
  rounds: number,
): Promise<Answer[][]> {
  const answers = subjects.map((): Answer[] => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const forward = (turn + round + warmUps) % subjects.length;
      const index = round % 2 === 0 ? forward : subjects.length - 1 - forward;
      const answer = await subjects[index]?.();
      if (round >= 0 && answer !== undefined) answers[index]?.push(answer);
    }
  }
  return answers;
}
