import type { CallFacts } from "./call.js";
import { contain } from "./contain.js";
import { errorTraits } from "./error-traits.js";
import type { Classify } from "./options.js";
import type { Outcome } from "./outcome.js";
import type { PolicyParts } from "./policy-parts.js";
import { readServerSignals, type ServerSignals } from "./server-signals.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

/** An outcome as the policy sees it. */
export interface Assessment {
  readonly kind: "success" | "transient" | "permanent" | "aborted";
  readonly signals?: ServerSignals;
}

export function assess(outcome: Outcome, facts: CallFacts, parts: PolicyParts): Assessment {
  if (outcome.aborted === true || facts.isAborted?.() === true) return { kind: "aborted" };
  const { classify, clock, statuses } = parts.settings;
  // The user's rule comes first, and can call a response with any status transient.
  const own = classify && askClassify(classify, outcome, parts.warn);
  if (own !== "transient" && !hasFailed(outcome)) return { kind: "success" };
  const signals = readServerSignals(outcome, () => clock.wall());
  const kind = own ?? (isTransient(outcome, signals, statuses) ? "transient" : "permanent");
  return { kind, signals };
}

/** Whether a connection was tried at least: what failed before that is no attempt. */
export function isTried(kind: Assessment["kind"], { tried, sent, status }: Outcome): boolean {
  if (tried === false) return false;
  if (kind === "aborted") return sent === true;
  return kind !== "permanent" || status !== undefined;
}

function askClassify(classify: Classify, outcome: Outcome, warn: Warn): ReturnType<Classify> {
  const word: unknown = contain(warn, "classify", () => classify(outcome));
  if (word === "transient" || word === "permanent" || word === undefined) return word;
  warnOfAnswer(warn, "classify", word);
  return undefined;
}

function hasFailed(outcome: Outcome): boolean {
  const { status = 0, transient } = outcome;
  // A response that the client calls no failure is none.
  return "error" in outcome || (status >= 400 && transient !== false);
}

function isTransient(
  outcome: Outcome,
  signals: ServerSignals,
  statuses: ReadonlySet<number>,
): boolean {
  const { status, error, transient } = outcome;
  if (transient !== undefined) return transient;
  // A body that breaks off comes with the status of a success.
  if (status === undefined || status < 400) return errorTraits(error).transient;
  if (signals.answer === "yes") return true;
  // RFC 9110 §15.5.14: too large for now, if the server says until when.
  if (status === 413 && signals.wait === undefined) return false;
  return statuses.has(status);
}
