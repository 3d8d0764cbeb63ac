import type { CallFacts } from "./call.js";
import { contain } from "./contain.js";
import { isPlain } from "./is-plain.js";
import { isToken } from "./is-token.js";
import { originOf } from "./origin.js";
import type { PolicyParts } from "./policy-parts.js";
import { mayRetry, mostAttempts, type Terms } from "./terms.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

/** What a server may be told of an attempt, so that only one layer retries, and none in vain. */
export interface Mark {
  /** Where the attempt goes, as `originOf` writes it. */
  readonly origin: string;
  /** Number of the attempt, from 1: of the layer that retries. */
  readonly attempt: number;
  /** Most attempts that the caller makes. */
  readonly maxAttempts: number;
  /** Whether the caller, or who called it, sends the request again if it fails. */
  readonly isRetried: boolean;
  /** Ms until the deadline; Infinity where there is none. */
  readonly remaining: number;
}

/**
 * Headers for an attempt, by lower-case name; `undefined` or an empty object where there are none.
 * What cannot be a header is left out, with a warning.
 */
export type Marks = (mark: Mark) => Readonly<Record<string, string>> | undefined;

/** The headers of an attempt that goes to this URL, wherever a redirect or a hook has led it. */
export function marksFor(
  { settings, warn }: PolicyParts,
  facts: CallFacts,
  terms: Terms,
  attempt: number,
  url: string | URL,
): Readonly<Record<string, string>> | undefined {
  const { marks } = settings;
  if (marks === undefined) return undefined;
  return contain(warn, "marks", () => {
    const most = mostAttempts(facts, terms);
    const given: unknown = marks({
      origin: originOf(url),
      // Of the layer that retries.
      attempt: Math.max(attempt, (terms.standsDown && terms.outer?.attempt) || 1),
      maxAttempts: most,
      isRetried: terms.standsDown || mayRetry(facts, terms, settings),
      remaining: terms.deadline.remaining(),
    });
    return given === undefined ? undefined : sendable(given, warn);
  });
}

// RFC 9110 §5.5, as clients check it: by an error that would be the request's.
const text = /^[\t\x20-\x7e\x80-\xff]*$/;

function sendable(given: unknown, warn: Warn): Readonly<Record<string, string>> | undefined {
  if (!isObject(given)) return void warnOfAnswer(warn, "marks", given);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const isRight = isToken(name) && typeof value === "string" && text.test(value);
    // Adapters look for the caller's own by it.
    if (isRight) headers[name.toLowerCase()] = value;
    else if (value !== undefined) warnOfAnswer(warn, "marks", given);
  }
  return headers;
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null && isPlain(given);
}
