import type { Budget } from "./budget.js";
import { contain } from "./contain.js";
import type { Budgets } from "./options.js";
import type { Warn } from "./warnings.js";

/**
 * The budget that `budgets.of(origin)` gives, asked for anew each time. A store that throws grants
 * nothing, and the request goes on.
 */
export class ForeignBudget implements Budget {
  readonly #budgets: Budgets;
  readonly #origin: string;
  readonly #warn: Warn;

  constructor(budgets: Budgets, origin: string, warn: Warn) {
    this.#budgets = budgets;
    this.#origin = origin;
    this.#warn = warn;
  }

  get balance(): number {
    const balance = this.#ask((budget) => budget.balance);
    return typeof balance === "number" ? balance : 0;
  }

  deposit(): void {
    this.#ask((budget) => budget.deposit());
  }

  withdraw(): boolean {
    // Not "truthy": the promise of a store that is not synchronous grants nothing.
    return this.#ask((budget) => budget.withdraw()) === true;
  }

  refund(): void {
    this.#ask((budget) => budget.refund());
  }

  #ask<Result>(question: (budget: Budget) => Result): Result | undefined {
    return contain(this.#warn, "budgets", () => question(this.#budgets.of(this.#origin)));
  }
}
