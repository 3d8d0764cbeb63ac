import { type Budget, TokenBudget } from "./budget.js";
import { ForeignBudget } from "./foreign-budget.js";
import type { RegistrySettings } from "./options.js";
import { originOf } from "./origin.js";
import { OriginAccount, type OriginSnapshot } from "./origin-account.js";
import type { Reporter } from "./reporter.js";
import type { Warn } from "./warner.js";

interface Candidate {
  readonly account: OriginAccount;
  readonly usedAt: number;
}

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
  #candidates: Candidate[] = [];
  #uses = 0;

  constructor(settings: RegistrySettings, reporter: Reporter, warn: Warn) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#warn = warn;
  }

  /** The account of the origin of this URL. What has no origin shares the account "unknown". */
  of(url: string | URL): OriginAccount {
    // Most keys are origins, so text that is one already needs no parsing.
    const known = typeof url === "string" ? this.#accounts.get(url) : undefined;
    return known === undefined ? this.ofKey(this.#originOf(url)) : this.#touch(known);
  }

  ofKey(key: string): OriginAccount {
    const known = this.#accounts.get(key);
    return known === undefined ? this.#add(key) : this.#touch(known);
  }

  snapshot(): OriginSnapshot[] {
    return Array.from(this.#accounts.values(), (account) => account.snapshot());
  }

  #add(key: string): OriginAccount {
    const takesOver = !this.#hasOwnSettings(key) && this.#isFull();
    const oldest = takesOver ? this.#leastRecentlyUsed() : undefined;
    if (oldest !== undefined) this.#accounts.delete(oldest.origin);
    const account = this.#heirOf(oldest, key) ?? this.#create(key);
    this.#accounts.set(key, account);
    // When all is in place: a listener may send a request.
    if (oldest !== undefined) this.#reportEvicted(oldest);
    return this.#touch(account);
  }

  // These are few and fixed. They stay, so that a take-over never mixes two settings.
  #hasOwnSettings(key: string): boolean {
    return this.#settings.origins.has(key);
  }

  #isFull(): boolean {
    const { maxOrigins, origins } = this.#settings;
    // The own settings that have no account yet keep their places.
    const expected = [...origins.keys()].filter((key) => !this.#accounts.has(key)).length;
    return this.#accounts.size + expected >= maxOrigins;
  }

  #heirOf(oldest: OriginAccount | undefined, key: string): OriginAccount | undefined {
    return this.#settings.budgets === undefined ? oldest?.takenOverBy(key) : undefined;
  }

  #reportEvicted({ origin, balance }: OriginAccount): void {
    this.#reporter.report("evicted", () => ({ v: 1, type: "evicted", origin, balance }));
  }

  // A use writes one number, so that the success path stays cheap; the order is made here. A
  // candidate that was used since is younger than all that were not.
  #leastRecentlyUsed(): OriginAccount {
    for (;;) {
      const candidate = this.#candidates.pop();
      if (candidate === undefined) this.#candidates = this.#findCandidates();
      else if (candidate.usedAt === candidate.account.usedAt) return candidate.account;
    }
  }

  #findCandidates(): Candidate[] {
    return Array.from(this.#accounts.values())
      .filter(({ origin }) => !this.#hasOwnSettings(origin))
      .map((account) => ({ account, usedAt: account.usedAt }))
      .sort((a, b) => b.usedAt - a.usedAt);
  }

  #create(key: string): OriginAccount {
    const { trickle } = this.#settings.origins.get(key) ?? this.#settings.budget;
    return new OriginAccount(key, this.#budgetOf(key), trickle > 0, this.#reporter);
  }

  #budgetOf(key: string): Budget {
    const { budgets, origins, budget, clock } = this.#settings;
    if (budgets === undefined) return new TokenBudget(origins.get(key) ?? budget, clock);
    return new ForeignBudget(budgets, key, this.#warn);
  }

  #touch(account: OriginAccount): OriginAccount {
    account.usedAt = ++this.#uses;
    return account;
  }

  #originOf(url: string | URL): string {
    try {
      return originOf(url);
    } catch {
      this.#warn(
        "RETRY_BUDGET_ORIGIN",
        "The origin of a request is not known. Such requests share the budget `unknown`; name the " +
          "origin in the settings of the adapter, or the request's own `retryBudget: { key }`.",
      );
      return "unknown";
    }
  }
}
