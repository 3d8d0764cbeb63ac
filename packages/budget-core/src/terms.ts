import type { CallFacts } from "./call.js";
import { type Deadline, deadlineIn } from "./deadline.js";
import type { PolicySettings } from "./options.js";
import { type OuterCall, readOuter } from "./outer-call.js";
import type { PolicyParts } from "./policy-parts.js";
import { resolveRequestOptions } from "./request-options.js";

type Rules = Pick<PolicyParts, "settings" | "warn">;

/** What holds for one call: the request's own options before the client's, these before the policy's. */
export interface Terms {
  /** The budget's key, where one was named. */
  readonly key: string | undefined;
  readonly maxAttempts: number;
  readonly deadline: Deadline;
  readonly idempotent: boolean | undefined;
  /** Makes the body of a retry. */
  readonly body: (() => unknown) | undefined;
  /** What the call is inside of. */
  readonly outer: OuterCall | undefined;
  /** Whether what it is inside of is retried, so that it neither earns nor retries itself. */
  readonly standsDown: boolean;
  /** Whether what it is inside of has left it no time for an attempt. */
  readonly isTooLate: boolean;
}

/** Those of calls that bring nothing of their own; undefined where a deadline makes them differ. */
export function commonTerms(parts: Rules): Terms | undefined {
  const isCommon = parts.settings.deadline === Number.POSITIVE_INFINITY;
  return isCommon ? resolveTerms({}, parts) : undefined;
}

export function resolveTerms(
  facts: Partial<CallFacts>,
  { settings, warn }: Rules,
  outer?: OuterCall,
): Terms {
  const { key, maxAttempts, deadline, idempotent, body } = resolveRequestOptions(
    facts.options,
    warn,
  );
  const { left, isRetried } = readOuter(outer, warn);
  return {
    key: key ?? facts.key,
    maxAttempts: maxAttempts ?? settings.maxAttempts,
    // They nest: the earlier one counts.
    deadline: deadlineIn(
      Math.min(deadline ?? settings.deadline, Math.max(left, 0)),
      settings.clock,
    ),
    idempotent,
    // A client that cannot send another body would send the spent one, or none.
    body: facts.takesBody === true ? body : undefined,
    outer,
    standsDown: settings.oneLayer && isRetried,
    isTooLate: left <= settings.minAttemptTime,
  };
}

export function isIdempotent(
  facts: Omit<CallFacts, "client">,
  { idempotent }: Terms,
  { methods, idempotencyKey }: PolicySettings,
): boolean {
  return (
    idempotent ??
    facts.isIdempotent?.() ??
    (methods.has(facts.method.toUpperCase()) ||
      (idempotencyKey && Boolean(facts.requestHeader?.("idempotency-key"))))
  );
}

/** A client may allow less than the policy, never more; NaN allows nothing and forbids nothing. */
export function mostAttempts(
  facts: Omit<CallFacts, "client">,
  { maxAttempts }: Pick<Terms, "maxAttempts">,
): number {
  return Math.min(maxAttempts, facts.maxAttempts?.() || maxAttempts);
}

/** Whether what has reached the server is sent again if it fails. */
export function mayRetry(facts: CallFacts, terms: Terms, settings: PolicySettings): boolean {
  return (
    mostAttempts(facts, terms) > 1 &&
    isIdempotent(facts, terms, settings) &&
    (terms.body !== undefined || facts.isReplayable())
  );
}
