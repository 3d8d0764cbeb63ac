import { contain } from "./contain.js";
import { errorTraits } from "./error-traits.js";
import type { Classify, PolicySettings } from "./options.js";
import type { Outcome } from "./outcome.js";
import type { PolicyParts } from "./policy-parts.js";
import { readServerSignals, type ServerSignals } from "./server-signals.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

/** An outcome as the policy sees it. */
export interface Assessment {
  readonly kind: "success" | "transient" | "permanent" | "aborted";
  readonly signals: ServerSignals | undefined;
}

const success: Assessment = { kind: "success", signals: undefined };
const aborted: Assessment = { kind: "aborted", signals: undefined };

export function assess(outcome: Outcome, isAborted: boolean, parts: PolicyParts): Assessment {
  if (isAborted) return aborted;
  const { classify } = parts.settings;
  // The user's rule comes first, and can call a response with any status transient.
  const own = classify && askClassify(classify, outcome, parts.warn);
  if (own !== "transient" && !hasFailed(outcome)) return success;
  return assessFailure(outcome, own, parts.settings);
}

/** Whether a connection was tried at least: what failed before that is no attempt. */
export function isTried(kind: Assessment["kind"], { tried, sent, status }: Outcome): boolean {
  if (tried === false) return false;
  if (kind === "aborted") return sent === true;
  return kind !== "permanent" || status !== undefined;
}

function assessFailure(
  outcome: Outcome,
  own: ReturnType<Classify>,
  { clock, statuses }: PolicySettings,
): Assessment {
  const signals = readServerSignals(outcome, () => clock.wall());
  if (own === "transient" || own === "permanent") return { kind: own, signals };
  return { kind: isTransient(outcome, signals, statuses) ? "transient" : "permanent", signals };
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
