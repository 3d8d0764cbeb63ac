import type { Assessment } from "./assess.js";
import { isWait, longestTimer } from "./backoff.js";
import type { Deadline } from "./deadline.js";
import type { PolicySettings } from "./options.js";
import { hasReachedServer, type Outcome } from "./outcome.js";
import type { Refusal } from "./refusal.js";

/** Everything that the decision on one failed attempt depends on. */
export interface Situation {
  readonly settings: PolicySettings;
  readonly outcome: Outcome;
  readonly assessment: Assessment;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly deadline: Deadline;
  isIdempotent(): boolean;
  isReplayable(): boolean;
  isRetriedElsewhere(): boolean;
  backoff(): number;
  withdraw(): boolean;
}

/** Whether a failed attempt is retried: after a delay in ms, or for which reason not. */
export type Decision =
  | { readonly retry: true; readonly delay: number; readonly refusal?: undefined }
  | { readonly retry: false; readonly refusal: Refusal };

/** The one ordering of the rules: what is free comes before what costs. */
export function decide(situation: Situation): Decision {
  const { settings, outcome, assessment } = situation;
  const refusal = whyNever(situation);
  if (refusal !== undefined) return refuse(refusal);
  if ((assessment.signals?.wait ?? 0) > settings.maxRetryAfter) return refuse("retry-after");
  const delay = delayOf(situation);
  if (situation.deadline.isPassedIn(delay)) return refuse("deadline");
  // "breaker" has its place here.
  // The client's own no, for a reason that none of the rules above has found.
  if (outcome.final === true) return refuse("permanent");
  // Last, so that nothing is spent on a retry that another rule forbids.
  if (!situation.withdraw()) return refuse("budget");
  // "futile" has its place here.
  return { retry: true, delay };
}

/** The rules that no wait would change. */
function whyNever(situation: Situation): Refusal | undefined {
  const { outcome, assessment } = situation;
  const { kind, signals } = assessment;
  if (kind === "aborted") return "aborted";
  if (kind !== "transient") return "permanent";
  if (signals?.answer === "no") return "server";
  if (hasReachedServer(outcome) && !situation.isIdempotent()) return "method";
  if (!situation.isReplayable()) return "body";
  if (situation.attempts >= situation.maxAttempts) return "attempts";
  return situation.isRetriedElsewhere() ? "layer" : undefined;
}

function refuse(refusal: Refusal): Decision {
  return { retry: false, refusal };
}

function delayOf(situation: Situation): number {
  const { outcome, assessment, settings } = situation;
  const { wait = 0, exact = false } = assessment.signals ?? {};
  if (exact) return wait;
  const own = isWait(outcome.delay) ? outcome.delay : situation.backoff();
  // Never before the server's time, and not all of its clients at that time either.
  const asked = wait === 0 ? 0 : wait * (1 + settings.random() / 10);
  return Math.min(Math.max(own, asked), longestTimer);
}
