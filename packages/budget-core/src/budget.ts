import {
  type BudgetOptions,
  type BudgetSettings,
  budgetFields,
  token,
  unitsOf,
} from "./budget-options.js";
import { type Clock, expectClock, systemClock } from "./clock.js";
import type { Fields } from "./fields.js";
import { resolveOptions } from "./resolve-options.js";
import { Trickle } from "./trickle.js";
import { createWarner } from "./warnings.js";

/**
 * Retries that one origin may still make, earned by its original requests. A fixed number of
 * attempts multiplies the load on a service that is down; a budget keeps it at `1 + ratio`. The
 * verbs are those of Finagle's RetryBudget and tower's Budget.
 */
export interface Budget {
  /** Whole retries available now. */
  readonly balance: number;
  /** Records one original request. */
  deposit(): void;
  /** Spends one token. False means: do not retry; the balance is then unchanged. */
  withdraw(): boolean;
  /** Returns the token of a retry that was never sent. Not a reward for success. */
  refund(): void;
}

/** @throws TypeError that names the option and the value. */
export function createBudget(
  options: BudgetOptions & { readonly clock?: Clock | undefined } = {},
): Budget {
  const fields: Fields = { ...budgetFields, clock: [expectClock, systemClock] };
  const settings = resolveOptions<BudgetSettings & { clock: Clock }>(
    fields,
    options,
    createWarner(),
  );
  return new TokenBudget(settings, settings.clock);
}

export class TokenBudget implements Budget {
  readonly #earned: number;
  readonly #most: number;
  readonly #trickle: Trickle | undefined;
  #held: number;

  constructor({ ratio, capacity, initial, trickle }: BudgetSettings, clock: Clock) {
    this.#earned = unitsOf(ratio);
    this.#most = unitsOf(capacity);
    this.#held = unitsOf(initial);
    // Ratio 0 promises "no retries beyond `initial`", a floor included.
    if (trickle > 0 && ratio > 0) this.#trickle = new Trickle(trickle, clock);
  }

  get balance(): number {
    this.#collectTrickle();
    return Math.floor(this.#held / token);
  }

  deposit(): void {
    this.#add(this.#earned);
  }

  withdraw(): boolean {
    this.#collectTrickle();
    if (this.#held < token) return false;
    this.#held -= token;
    return true;
  }

  refund(): void {
    this.#add(token);
  }

  // Deposits read no clock: adding late and then clamping comes to the same sum.
  #collectTrickle(): void {
    if (this.#trickle !== undefined) this.#add(this.#trickle.collect());
  }

  #add(units: number): void {
    this.#held = Math.min(this.#most, this.#held + units);
  }
}
