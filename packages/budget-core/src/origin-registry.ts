import { type Budget, TokenBudget } from "./budget.js";
import { ForeignBudget } from "./foreign-budget.js";
import type { PolicySettings } from "./options.js";
import { originOf } from "./origin.js";
import { OriginAccount, type OriginSnapshot } from "./origin-account.js";
import type { Reporter } from "./reporter.js";
import type { Warn } from "./warner.js";

/**
 * The accounts of a policy by key, bounded. A new origin beyond the limit takes over the least
 * recently used budget with the tokens that are in it: a fresh one would let made-up names mint
 * retries, a shared one would starve every later origin.
 */
export class OriginRegistry {
  readonly #settings: PolicySettings;
  readonly #reporter: Reporter;
  readonly #warn: Warn;
  readonly #accounts = new Map<string, OriginAccount>();
  #newest: OriginAccount | undefined;
  #oldest: OriginAccount | undefined;
  #ownSettings = 0;

  constructor(settings: PolicySettings, reporter: Reporter, warn: Warn) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#warn = warn;
  }

  /** The account of the origin of this URL. What has no origin shares the account "unknown". */
  of(url: string | URL): OriginAccount {
    // Keys are origins, so text that is one already needs no parsing.
    const known = typeof url === "string" ? this.#accounts.get(url) : undefined;
    return known === undefined ? this.ofKey(tryOriginOf(url)) : this.#touch(known);
  }

  ofKey(key: string): OriginAccount {
    const known = this.#accounts.get(key);
    return known === undefined ? this.#add(key) : this.#touch(known);
  }

  snapshot(): OriginSnapshot[] {
    return Array.from(this.#accounts.values(), (account) => account.snapshot());
  }

  #add(key: string): OriginAccount {
    const account =
      this.#isFull() && !this.#hasOwnSettings(key) ? this.#takeOver(key) : this.#create(key);
    this.#accounts.set(key, account);
    // Overrides are few and fixed: they stay, so that a take-over never mixes two settings.
    if (this.#hasOwnSettings(key)) this.#ownSettings++;
    else this.#putFirst(account);
    return account;
  }

  #isFull(): boolean {
    const { maxOrigins, origins } = this.#settings;
    return this.#accounts.size - this.#ownSettings >= maxOrigins - origins.size;
  }

  #hasOwnSettings(key: string): boolean {
    return this.#settings.origins.has(key);
  }

  #takeOver(key: string): OriginAccount {
    const oldest = this.#oldest;
    if (oldest === undefined) return this.#create(key);
    this.#accounts.delete(oldest.origin);
    this.#unlink(oldest);
    const { origin, balance } = oldest;
    this.#reporter.report("evicted", () => ({ v: 1, type: "evicted", origin, balance }));
    return this.#settings.budgets === undefined ? oldest.takenOverBy(key) : this.#create(key);
  }

  #create(key: string): OriginAccount {
    return new OriginAccount(key, this.#budgetOf(key), this.#reporter);
  }

  #budgetOf(key: string): Budget {
    const { budgets, origins, budget, clock } = this.#settings;
    if (budgets === undefined) return new TokenBudget(origins.get(key) ?? budget, clock);
    return new ForeignBudget(budgets, key, this.#warn);
  }

  #touch(account: OriginAccount): OriginAccount {
    if (account === this.#newest || this.#hasOwnSettings(account.origin)) return account;
    this.#unlink(account);
    this.#putFirst(account);
    return account;
  }

  #putFirst(account: OriginAccount): void {
    account.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = account;
    this.#newest = account;
    this.#oldest ??= account;
  }

  #unlink(account: OriginAccount): void {
    if (account.newer === undefined) this.#newest = account.older;
    else account.newer.older = account.older;
    if (account.older === undefined) this.#oldest = account.newer;
    else account.older.newer = account.newer;
    account.newer = undefined;
    account.older = undefined;
  }
}

function tryOriginOf(url: string | URL): string {
  try {
    return originOf(url);
  } catch {
    return "unknown";
  }
}
