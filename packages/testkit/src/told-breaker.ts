import type { Breaker, Passage } from "@retry-budget/core";

/** A breaker that its test opens, and that keeps what it was told. */
export class ToldBreaker implements Breaker {
  readonly error: Error = new Error("the circuit is open");
  /** One word for each attempt that it let pass: how that ended. */
  readonly told: string[] = [];
  isOpen = false;
  /** Attempts that pass before it opens without having said so. */
  passes: number;

  constructor(passes: number = Number.POSITIVE_INFINITY) {
    this.passes = passes;
  }

  pass(): Passage {
    if (this.isOpen || this.passes-- <= 0) throw this.error;
    return {
      succeed: () => void this.told.push("success"),
      fail: () => void this.told.push("failure"),
      abandon: () => void this.told.push("nothing"),
    };
  }
}
