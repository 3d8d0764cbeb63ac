import type { Breaker } from "./breaker.js";
import type { Budget } from "./budget.js";
import type { Refusal } from "./refusal.js";
import type { Reporter } from "./reporter.js";

/** What the snapshot says of one origin. */
export interface OriginSnapshot {
  readonly origin: string;
  /** Whole retries available now. */
  readonly balance: number;
  readonly originals: number;
  readonly retries: number;
  /** Count of refusals by reason; a reason that has not occurred is absent. */
  readonly refusals: Readonly<Partial<Record<Refusal, number>>>;
  /** Attempts ÷ originals; 1 where there was none yet. */
  readonly amplification: number;
}

/** The budget of one origin with its counts and its edges. */
export class OriginAccount implements Budget {
  readonly origin: string;
  /** Place in the order of uses, for the take-over. */
  usedAt = 0;
  originals = 0;
  retries = 0;
  readonly refusals: Partial<Record<Refusal, number>> = {};
  readonly breaker: Breaker | undefined;
  readonly #budget: Budget;
  readonly #hasTrickle: boolean;
  readonly #reporter: Reporter;
  #exhausted = false;

  constructor(
    origin: string,
    budget: Budget,
    hasTrickle: boolean,
    reporter: Reporter,
    breaker?: Breaker,
  ) {
    this.origin = origin;
    this.breaker = breaker;
    this.#budget = budget;
    this.#hasTrickle = hasTrickle;
    this.#reporter = reporter;
  }

  /** The same tokens under another name: a name that is made up mints nothing. */
  takenOverBy(origin: string, breaker: Breaker | undefined): OriginAccount {
    const heir = new OriginAccount(origin, this.#budget, this.#hasTrickle, this.#reporter, breaker);
    heir.#exhausted = this.#exhausted;
    return heir;
  }

  get balance(): number {
    return this.#budget.balance;
  }

  deposit(): void {
    this.#budget.deposit();
    // With a trickle the balance needs the clock, which a success does not read.
    if (this.#exhausted && !this.#hasTrickle) this.#notice();
  }

  withdraw(): boolean {
    const granted = this.#budget.withdraw();
    // It has risen meanwhile, without a deposit that noticed it.
    if (granted) this.#notice(false);
    if (!this.#exhausted) this.#notice();
    return granted;
  }

  refund(): void {
    this.#budget.refund();
    if (this.#exhausted) this.#notice();
  }

  countRefusal(refusal: Refusal): void {
    this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
  }

  snapshot(): OriginSnapshot {
    const { origin, balance, originals, retries, refusals } = this;
    const amplification = 1 + (originals && retries / originals);
    return { origin, balance, originals, retries, refusals: { ...refusals }, amplification };
  }

  #notice(exhausted = this.balance < 1): void {
    if (exhausted === this.#exhausted) return;
    this.#exhausted = exhausted;
    this.#reporter.report(exhausted ? "exhausted" : "replenished", this);
  }
}
