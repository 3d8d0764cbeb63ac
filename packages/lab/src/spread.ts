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

/** Of the middle half of the values: what disturbed a few rounds does not show. */
export function middleSpreadOf(values: readonly number[]): Spread {
  const quarter = Math.floor(values.length / 4);
  const sorted = values.toSorted((a, b) => a - b);
  return spreadOf(sorted.slice(quarter, values.length - quarter));
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
