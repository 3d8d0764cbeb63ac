import type { Assessment } from "./assess.js";
import { backoffDelay, isWait, longestTimer } from "./backoff.js";
import type { CallFacts } from "./call.js";
import { contain } from "./contain.js";
import { isRetriedAbove } from "./known-layers.js";
import type { OriginAccount } from "./origin-account.js";
import { hasReachedServer, type Outcome } from "./outcome.js";
import type { PolicyParts } from "./policy-parts.js";
import type { Refusal } from "./refusal.js";
import { isIdempotent, mostAttempts, type Terms } from "./terms.js";

/** Everything that the decision on one failed attempt depends on. */
export interface Situation extends Assessment {
  readonly parts: Pick<PolicyParts, "settings" | "warn">;
  readonly facts: Omit<CallFacts, "client">;
  readonly terms: Terms;
  readonly account: Pick<OriginAccount, "withdraw" | "breaker">;
  readonly attempts: number;
  /** What has ended the attempt, or kept it from being sent, whatever came of it. */
  readonly ended?: Refusal | undefined;
  readonly outcome: Outcome;
  /** The headers that the policy itself gave the attempt. */
  readonly marks?: Readonly<Record<string, string>> | undefined;
}

/** Whether a failed attempt is retried: after a delay in ms, or for which reason not. */
export type Decision =
  | { readonly retry: true; readonly delay: number; readonly refusal?: undefined }
  | { readonly retry: false; readonly refusal: Refusal };

/** The one ordering of the rules: what is free comes before what costs. */
export function decide(situation: Situation): Decision {
  const { parts, terms, account, outcome, signals } = situation;
  const refusal = situation.ended ?? whyNever(situation);
  if (refusal !== undefined) return refuse(refusal);
  if ((signals?.wait ?? 0) > parts.settings.maxRetryAfter) return refuse("retry-after");
  const delay = delayOf(situation);
  if (terms.deadline.isPassedIn(delay + parts.settings.minAttemptTime)) return refuse("deadline");
  if (isOpen(situation)) return refuse("breaker");
  // The client's own no, for a reason that none of the rules above has found.
  if (outcome.final === true) return refuse("permanent");
  // Last, so that nothing is spent on a retry that another rule forbids.
  if (!account.withdraw()) return refuse("budget");
  // "futile" has its place here.
  return { retry: true, delay };
}

/** The rules that no wait would change. */
function whyNever(situation: Situation): Refusal | undefined {
  const { parts, facts, terms, outcome, kind, signals } = situation;
  if (kind === "aborted") return "aborted";
  if (kind !== "transient") return "permanent";
  // Before what may refuse for another reason: who retries as well is to be warned of.
  const isInner = terms.standsDown || isRetriedAbove(situation);
  if (signals?.answer === "no") return "server";
  if (hasReachedServer(outcome) && !isIdempotent(facts, terms, parts.settings)) return "method";
  if (terms.body === undefined && !facts.isReplayable()) return "body";
  if (situation.attempts >= mostAttempts(facts, terms)) return "attempts";
  return isInner || facts.isRetriedElsewhere?.() === true ? "layer" : undefined;
}

function isOpen({ parts, account: { breaker } }: Situation): boolean {
  if (breaker === undefined) return false;
  return contain<unknown>(parts.warn, "breakers", () => breaker.isOpen) === true;
}

function refuse(refusal: Refusal): Decision {
  return { retry: false, refusal };
}

function delayOf({ parts, attempts, outcome, signals }: Situation): number {
  const { settings, warn } = parts;
  const { wait = 0, exact = false } = signals ?? {};
  if (exact) return wait;
  const own = isWait(outcome.delay)
    ? outcome.delay
    : backoffDelay(settings.backoff, attempts, outcome, warn);
  // Never before the server's time, and not all of its clients at that time either.
  const asked = wait === 0 ? 0 : wait * (1 + settings.random() / 10);
  return Math.min(Math.max(own, asked), longestTimer);
}
