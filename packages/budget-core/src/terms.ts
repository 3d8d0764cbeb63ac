import type { CallFacts } from "./call.js";
import { type Deadline, deadlineIn, noDeadline } from "./deadline.js";
import type { PolicySettings } from "./options.js";
import type { PolicyParts } from "./policy-parts.js";
import { resolveRequestOptions } from "./request-options.js";

/** What holds for one call: the request's own options before the client's, these before the policy's. */
export interface Terms {
  /** The budget's key, where one was named. */
  readonly key: string | undefined;
  readonly maxAttempts: number;
  readonly deadline: Deadline;
  readonly idempotent: boolean | undefined;
  /** Makes the body of a retry. */
  readonly body: (() => unknown) | undefined;
}

/** Those of most calls, made once: undefined where a deadline makes every call's its own. */
export function commonTerms({ maxAttempts, deadline }: PolicySettings): Terms | undefined {
  if (deadline !== Number.POSITIVE_INFINITY) return undefined;
  return {
    key: undefined,
    maxAttempts,
    deadline: noDeadline,
    idempotent: undefined,
    body: undefined,
  };
}

export function resolveTerms(facts: CallFacts, { settings, warn }: PolicyParts): Terms {
  const request = resolveRequestOptions(facts.options, warn);
  const { maxAttempts, deadline, clock } = settings;
  const limit = request.maxAttempts ?? maxAttempts;
  return {
    key: request.key ?? facts.key,
    // A client may allow less than the policy, never more; NaN allows nothing and forbids nothing.
    maxAttempts: Math.min(limit, facts.maxAttempts || limit),
    deadline: deadlineIn(request.deadline ?? deadline, clock),
    idempotent: request.idempotent,
    // A client that cannot send another body would send the spent one, or none.
    body: facts.takesBody === true ? request.body : undefined,
  };
}

export function isIdempotent(
  facts: Omit<CallFacts, "client">,
  { idempotent }: Terms,
  { methods, idempotencyKey }: PolicySettings,
): boolean {
  const word = idempotent ?? facts.isIdempotent?.();
  if (word !== undefined) return word;
  if (methods.has(facts.method.toUpperCase())) return true;
  return idempotencyKey && facts.hasIdempotencyKey?.() === true;
}
