import type { Outcome } from "./outcome.js";
import { parseExhaustedQuota } from "./rate-limit.js";
import { parseRetryAfter } from "./retry-after.js";

/** What a response says about another attempt. */
export interface ServerSignals {
  /** "no": never again, or the quota is used up. "yes": whatever the status says. */
  readonly answer?: "yes" | "no" | undefined;
  /** The least wait, in ms. */
  readonly wait?: number | undefined;
  /** The wait is to be kept to the millisecond (gRPC A6), without jitter. */
  readonly exact?: boolean;
}

const never = Number.POSITIVE_INFINITY;
const no: ServerSignals = { answer: "no" };

/** An explicit "no" wins over everything, an explicit "yes" over the status, in this order. */
export function readServerSignals(outcome: Outcome, wall: () => number): ServerSignals {
  const { header, status } = outcome;
  if (header === undefined || status === undefined) return {};
  const read = (name: string): string | undefined => {
    const value = header(name);
    // RFC 9110 §5.3: several lines mean the same as one with commas.
    return typeof value === "string" ? value.trim() : value?.join(", ");
  };

  // The SDKs of OpenAI, Anthropic and Stripe obey these two.
  const answers = [read("x-should-retry"), read("stripe-should-retry")];
  const says = (word: string): boolean => answers.some((text) => text?.toLowerCase() === word);
  // Envoy's own default: an answer of its rate limiter is not retried.
  if (says("false") || read("x-envoy-ratelimited") !== undefined) return no;
  const pushback = read("grpc-retry-pushback-ms");
  const exact = pushback !== undefined;
  // gRPC A6: anything but a non-negative integer means "do not retry".
  const wait = exact ? msIn(pushback, /^\d+$/, never) : readWait(read, status, wall);
  if (wait === never) return no;
  return { answer: says("true") ? "yes" : undefined, wait, exact };
}

function msIn<Otherwise>(text: string, form: RegExp, otherwise: Otherwise): number | Otherwise {
  return form.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : otherwise;
}

function readWait(
  read: (name: string) => string | undefined,
  status: number,
  wall: () => number,
): number | undefined {
  const retryAfter = read("retry-after");
  const wait =
    msIn(read("retry-after-ms") ?? "", /^\d+(?:\.\d+)?$/, undefined) ??
    (retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, wall()));
  // Retry-After takes precedence over this (RateLimit draft), so it is read last.
  if (wait !== undefined || (status !== 429 && status !== 503)) return wait;
  return parseExhaustedQuota(read("ratelimit") ?? "");
}
