import type { BackoffFunction, BackoffOptions } from "./backoff.js";
import type { Breakers } from "./breaker.js";
import type { Budget } from "./budget.js";
import type { BudgetOptions, BudgetSettings } from "./budget-options.js";
import type { Clock } from "./clock.js";
import type { Marks } from "./marks.js";
import type { Outcome } from "./outcome.js";
import type { OnRetry } from "./retry-context.js";

/** Budgets that come from elsewhere: shared by worker threads, by a fleet. Must be synchronous. */
export interface Budgets {
  of(origin: string): Budget;
}

/** Says of an outcome whether another attempt may help; undefined leaves it to the built-in rule. */
export type Classify = (outcome: Outcome) => "transient" | "permanent" | undefined;

/** What a policy is made by. `Headers` is the form in which `onRetry` gets a request's headers. */
export interface RetryPolicyOptions<Headers = unknown> extends BudgetOptions {
  /**
   * What earns tokens. "request": every original. "success": an original whose last answer has a
   * status below 400 (or which is no HTTP and did not fail); amplification then falls to 1.00x in a
   * long outage, and fewer failures are rescued. @default "request"
   */
  readonly depositOn?: "request" | "success" | undefined;
  /** Attempts of one request, the first included, from 1; may be Infinity. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** Waits between attempts, in ms: settings, or a function. @default { base: 100, max: 10_000, jitter: "full" } */
  readonly backoff?: BackoffOptions | BackoffFunction | undefined;
  /**
   * Longest wait in ms that a server may ask for (`Retry-After` and the like). A shorter one is
   * obeyed in full, with up to a tenth more as jitter; a longer one ends the call. @default 30_000
   */
  readonly maxRetryAfter?: number | undefined;
  /**
   * Ms for the whole call, attempts and waits together. An attempt in flight is ended by the client's
   * own error for a timeout. Inside another call, and inside a request that a server handles, the
   * earlier deadline counts. @default none
   */
  readonly deadline?: number | undefined;
  /**
   * Ms that an attempt needs at least: none is begun that would have less of the deadline left. A
   * first attempt is held back by the deadline of an outer call alone. @default 0
   */
  readonly minAttemptTime?: number | undefined;
  /**
   * Whether one layer retries: a call inside another call that is retried, under whichever policy,
   * neither earns nor retries (refusal `layer`). False: calls of this policy do both, wherever they
   * are, and so does what is inside of them. Needs AsyncLocalStorage: has no effect in browsers.
   * @default true
   */
  readonly oneLayer?: boolean | undefined;
  /**
   * Headers that tell the server of each attempt, as `outgoing()` of `@retry-budget/context` makes
   * them. @default none
   */
  readonly marks?: Marks | undefined;
  /** Where circuit breakers come from: one for each origin. @default none */
  readonly breakers?: Breakers | undefined;
  /** Idempotent methods (RFC 9110 §9.2.2, RFC 10008). @default GET HEAD OPTIONS TRACE PUT DELETE QUERY */
  readonly methods?: readonly string[] | undefined;
  /** Transient statuses, from 400 to 599; a 413 only with Retry-After. @default 408 413 425 429 500 502 503 504 */
  readonly statuses?: readonly number[] | undefined;
  /** Whether an `Idempotency-Key` header that the caller set makes any method idempotent. @default true */
  readonly idempotencyKey?: boolean | undefined;
  /** A rule of your own, asked first; `undefined` leaves the outcome to the built-in rule. */
  readonly classify?: Classify | undefined;
  /**
   * Awaited right before a retry is sent. If it throws, the retry is given up, its token is given
   * back, and the caller gets the failure that was to be retried.
   */
  readonly onRetry?: OnRetry<Headers> | undefined;
  /** Most budgets held; the least recently used one is taken over, tokens and all. @default 10_000 */
  readonly maxOrigins?: number | undefined;
  /** Overrides of ratio, capacity, initial and trickle by origin; these are never taken over. */
  readonly origins?: Readonly<Record<string, BudgetOptions>> | undefined;
  /** Where budgets come from. @default made in this process */
  readonly budgets?: Budgets | undefined;
  /** Time. @default the monotonic clock and the timers of globalThis */
  readonly clock?: Clock | undefined;
  /** A number from 0 up to 1, for jitter. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** What the accounts of a policy are made by. */
export interface RegistrySettings extends BudgetSettings {
  readonly origins: ReadonlyMap<string, BudgetSettings>;
  readonly maxOrigins: number;
  readonly budgets?: Budgets;
  readonly clock: Clock;
  readonly breakers?: Breakers;
}

/** Options with their defaults, checked. */
export interface PolicySettings extends RegistrySettings {
  readonly depositOn: "request" | "success";
  readonly maxAttempts: number;
  readonly backoff: BackoffFunction;
  readonly maxRetryAfter: number;
  readonly deadline: number;
  readonly minAttemptTime: number;
  readonly oneLayer: boolean;
  readonly marks?: Marks;
  readonly methods: ReadonlySet<string>;
  readonly statuses: ReadonlySet<number>;
  readonly idempotencyKey: boolean;
  readonly classify?: Classify;
  readonly onRetry?: OnRetry;
  readonly random: () => number;
}
