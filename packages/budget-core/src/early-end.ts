import type { Outcome } from "./outcome.js";
import type { Refusal } from "./refusal.js";

/** What has ended an attempt, or kept it from being sent: then it is the refusal, whatever came of it. */
export interface EarlyEnd {
  readonly refusal: Refusal;
  /** Whether the attempt was under way: then the server was too slow, if only to connect. */
  readonly isLate: boolean;
}

export const expired: EarlyEnd = { refusal: "deadline", isLate: true };

/** Where the client has ended the attempt with a timer of its own. */
export function earlyEndOf(outcome: Outcome): EarlyEnd | undefined {
  if (outcome.expired !== true) return undefined;
  return outcome.tried === false ? { refusal: "deadline", isLate: false } : expired;
}
