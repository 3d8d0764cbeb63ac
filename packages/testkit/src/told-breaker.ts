import type { Breaker, Passage } from "@retry-budget/core";

/** A breaker that its test opens, and that keeps what it was told. */
export class ToldBreaker implements Breaker {
  readonly error: Error = new Error("the circuit is open");
  /** One word for each attempt that it let pass: how that ended. */
  readonly told: string[] = [];
  /** How many it let pass. */
  passed = 0;
  isOpen = false;
  readonly passes: number;

  /** @param passes attempts that pass before it opens without having said so */
  constructor(passes: number = Number.POSITIVE_INFINITY) {
    this.passes = passes;
  }

  pass(): Passage {
    if (this.isOpen || this.passed >= this.passes) throw this.error;
    this.passed++;
    return {
      succeed: () => void this.told.push("success"),
      fail: () => void this.told.push("failure"),
      abandon: () => void this.told.push("nothing"),
    };
  }
}
