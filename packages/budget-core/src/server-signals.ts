import type { Outcome } from "./outcome.js";
import { parseExhaustedQuota } from "./rate-limit.js";
import { parseRetryAfter } from "./retry-after.js";

/** What a response says about another attempt. */
export interface ServerSignals {
  /** "no": never again, or the quota is used up. "yes": whatever the status says. */
  readonly answer: "yes" | "no" | undefined;
  /** The least wait, in ms. */
  readonly wait: number | undefined;
  /** The wait is to be kept to the millisecond (gRPC A6), without jitter. */
  readonly exact: boolean;
}

const silent: ServerSignals = { answer: undefined, wait: undefined, exact: false };
const no: ServerSignals = { answer: "no", wait: undefined, exact: false };

// The SDKs of OpenAI, Anthropic and Stripe obey these two.
const answerHeaders = ["x-should-retry", "stripe-should-retry"];

/** An explicit "no" wins over everything, an explicit "yes" over the status, in this order. */
export function readServerSignals(outcome: Outcome, wall: () => number): ServerSignals {
  const { header, status } = outcome;
  if (header === undefined || status === undefined) return silent;
  const read = (name: string): string | undefined => {
    const value = header(name);
    // RFC 9110 §5.3: several lines mean the same as one with commas.
    return typeof value === "string" ? value.trim() : value?.join(", ");
  };

  const answers = answerHeaders.map((name) => read(name)?.toLowerCase());
  if (answers.includes("false")) return no;
  // Envoy's own default: an answer of its rate limiter is not retried.
  if (read("x-envoy-ratelimited") !== undefined) return no;

  const answer = answers.includes("true") ? "yes" : undefined;
  const pushback = read("grpc-retry-pushback-ms");
  // gRPC A6: anything but a non-negative integer means "do not retry".
  if (pushback !== undefined) {
    return /^\d+$/.test(pushback)
      ? { answer, wait: Math.min(Number(pushback), Number.MAX_SAFE_INTEGER), exact: true }
      : no;
  }
  const wait = readWait(read, wall);
  if (wait !== undefined) return { answer, wait, exact: false };
  return readQuota(status, read("ratelimit"), answer);
}

function readWait(
  read: (name: string) => string | undefined,
  wall: () => number,
): number | undefined {
  const milliseconds = read("retry-after-ms");
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/.test(milliseconds)) {
    return Number(milliseconds);
  }
  const retryAfter = read("retry-after");
  return retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, wall());
}

// Retry-After takes precedence over this (RateLimit draft), so it is read last.
function readQuota(
  status: number,
  rateLimit: string | undefined,
  answer: ServerSignals["answer"],
): ServerSignals {
  if (rateLimit === undefined || (status !== 429 && status !== 503)) {
    return { answer, wait: undefined, exact: false };
  }
  const quota = parseExhaustedQuota(rateLimit);
  if (quota === undefined) return { answer, wait: undefined, exact: false };
  return quota.wait === undefined ? no : { answer, wait: quota.wait, exact: false };
}
