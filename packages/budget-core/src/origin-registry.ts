import type { Breaker } from "./breaker.js";
import { TokenBudget } from "./budget.js";
import { contain } from "./contain.js";
import { ForeignBudget } from "./foreign-budget.js";
import type { RegistrySettings } from "./options.js";
import { originOf } from "./origin.js";
import { OriginAccount, type OriginSnapshot } from "./origin-account.js";
import type { Reporter } from "./reporter.js";
import { type Warn, warnOfAnswer, warnOfOrigin } from "./warnings.js";

/**
 * The accounts of a policy by key, bounded. A new origin beyond the limit takes over the least
 * recently used budget with the tokens that are in it: a fresh one would let made-up names mint
 * retries, a shared one would starve every later origin.
 */
export class OriginRegistry {
  readonly #settings: RegistrySettings;
  readonly #reporter: Reporter;
  readonly #warn: Warn;
  readonly #accounts = new Map<string, OriginAccount>();
  /** The least recently used last; made anew when it has run out. */
  #candidates: OriginAccount[] = [];
  /** Number of the last use when they were sorted. */
  #sortedAt = 0;
  #uses = 0;

  constructor(settings: RegistrySettings, reporter: Reporter, warn: Warn) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#warn = warn;
  }

  /** The account of the origin of this URL. What has no origin shares the account "unknown". */
  of(url: string | URL): OriginAccount {
    // Most keys are origins, so text that is one already needs no parsing.
    const known = this.#accounts.get(url as string);
    return known === undefined ? this.ofKey(this.#keyOf(url)) : this.#touch(known);
  }

  ofKey(key: string): OriginAccount {
    return this.#touch(this.#accounts.get(key) ?? this.#add(key));
  }

  snapshot(): OriginSnapshot[] {
    return Array.from(this.#accounts.values(), (account) => account.snapshot());
  }

  #add(key: string): OriginAccount {
    // First: it is the user's code, and may send a request itself.
    const breaker = this.#breakerOf(key);
    const added = this.#accounts.get(key);
    if (added !== undefined) return added;
    const { origins, budgets } = this.#settings;
    const takesOver = !origins.has(key) && this.#isFull();
    const oldest = takesOver ? this.#leastRecentlyUsed() : undefined;
    if (oldest !== undefined) this.#accounts.delete(oldest.origin);
    const heir = budgets === undefined ? oldest?.takenOverBy(key, breaker) : undefined;
    const account = heir ?? this.#create(key, breaker);
    this.#accounts.set(key, account);
    // When all is in place: a listener may send a request.
    if (oldest !== undefined) this.#reporter.report("evicted", oldest);
    return account;
  }

  #isFull(): boolean {
    const { maxOrigins, origins } = this.#settings;
    // The own settings that have no account yet keep their places.
    const expected = [...origins.keys()].filter((key) => !this.#accounts.has(key)).length;
    return this.#accounts.size + expected >= maxOrigins;
  }

  // A use writes one number, so that the success path stays cheap; the order is made here. A
  // candidate that was used since is younger than all that were not.
  #leastRecentlyUsed(): OriginAccount {
    for (;;) {
      const account = this.#candidates.pop();
      if (account === undefined) this.#sortCandidates();
      else if (account.usedAt <= this.#sortedAt) return account;
    }
  }

  #sortCandidates(): void {
    // Origins with own settings are few and fixed. They stay, so that a take-over mixes no settings.
    this.#candidates = [...this.#accounts.values()]
      .filter(({ origin }) => !this.#settings.origins.has(origin))
      .sort((a, b) => b.usedAt - a.usedAt);
    this.#sortedAt = this.#uses;
  }

  #create(key: string, breaker: Breaker | undefined): OriginAccount {
    const { budgets, origins, clock } = this.#settings;
    const settings = origins.get(key) ?? this.#settings;
    const budget =
      budgets === undefined
        ? new TokenBudget(settings, clock)
        : new ForeignBudget(budgets, key, this.#warn);
    return new OriginAccount(key, budget, settings.trickle > 0, this.#reporter, breaker);
  }

  #breakerOf(key: string): Breaker | undefined {
    const { breakers } = this.#settings;
    const breaker = breakers && contain(this.#warn, "breakers", () => breakers.of(key));
    if (breaker === undefined || typeof breaker?.pass === "function") return breaker;
    // What is none must not fail a request later.
    warnOfAnswer(this.#warn, "breakers.of", breaker);
    return undefined;
  }

  #touch(account: OriginAccount): OriginAccount {
    account.usedAt = ++this.#uses;
    return account;
  }

  #keyOf(url: string | URL): string {
    try {
      return originOf(url);
    } catch {
      warnOfOrigin(this.#warn);
      return "unknown";
    }
  }
}
