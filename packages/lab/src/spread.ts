/** What repeated measurements came to: the noise is to be seen beside the figure. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: at(Math.floor(sorted.length / 2)),
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** Each value next to the other's of the same round. */
export function paired(
  own: readonly number[],
  other: readonly number[],
  combine: (own: number, other: number) => number,
): number[] {
  return own.map((value, round) => combine(value, other[round] ?? Number.NaN));
}

/** Paired by round, so that a noisy moment meets both sides. */
export function ratiosOf(own: readonly number[], other: readonly number[]): Spread {
  return spreadOf(paired(own, other, (mine, theirs) => mine / theirs));
}
