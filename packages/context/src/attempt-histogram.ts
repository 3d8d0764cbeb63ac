/** How many requests came as which attempt. */
export interface AttemptSnapshot {
  /** Requests by the number of their attempt, "1" to "9" and "10+"; what did not come is left out. */
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
  /** Share of attempts above 1, from 0 to 1. */
  readonly retryShare: number;
}

/** Counts over a sliding window. */
export interface Attempts {
  /** What came in the last window: half of it at least. */
  snapshot(): AttemptSnapshot;
}

const mostCounted = 10;

/** Two halves of a window, of which the older one is forgotten when it has passed: no timer, 20 numbers. */
export class AttemptHistogram implements Attempts {
  readonly #half: number;
  readonly #now: () => number;
  #begun: number;
  #current: number[] = empty();
  #earlier: number[] = empty();

  /** @param window ms */
  constructor(window: number, now: () => number) {
    this.#half = window / 2;
    this.#now = now;
    this.#begun = now();
  }

  /** @param attempt from 1 */
  record(attempt: number): void {
    this.#turn();
    const index = Math.min(attempt, mostCounted) - 1;
    this.#current[index] = (this.#current[index] ?? 0) + 1;
  }

  snapshot(): AttemptSnapshot {
    this.#turn();
    const sums = this.#current.map((count, index) => count + (this.#earlier[index] ?? 0));
    const total = sums.reduce((sum, count) => sum + count, 0);
    const counted = sums.flatMap((count, index) => (count > 0 ? [[nameOf(index), count]] : []));
    const [originals = 0] = sums;
    return {
      counts: Object.fromEntries(counted),
      total,
      retryShare: total === 0 ? 0 : (total - originals) / total,
    };
  }

  #turn(): void {
    const passed = Math.floor((this.#now() - this.#begun) / this.#half);
    if (passed === 0) return;
    this.#earlier = passed === 1 ? this.#current : empty();
    this.#current = empty();
    this.#begun += passed * this.#half;
  }
}

function empty(): number[] {
  return new Array<number>(mostCounted).fill(0);
}

function nameOf(index: number): string {
  return index + 1 < mostCounted ? String(index + 1) : `${mostCounted}+`;
}
