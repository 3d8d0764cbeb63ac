import type { Delays, OptionsInit, RetryOptions } from "got";
import { shortestWait } from "./soak-plan.js";

/** One of the ways in which got is used. */
export type GotFlavour = PromiseFlavour | StreamFlavour;

export interface PromiseFlavour {
  readonly options: GotOptions;
  readonly shortcut?: "json" | "buffer";
  readonly cancels: "signal" | "promise";
}

export interface StreamFlavour {
  readonly options: GotOptions;
  /** Without a listener got retries no stream. */
  readonly isRetried: boolean;
}

export type GotOptions = Omit<OptionsInit, "isStream">;

// Of an answer that is no JSON.
const parseJson = String;
/** Ms; begins when the request is written. */
const timeout: Delays = { response: 1000 };
/**
 * Ms that only what hangs takes, also where the machine stalls: what has timed out before it was
 * written is an attempt for got.
 */
const wholeTimeout: Delays = { request: 5000 };
const bySignal = { cancels: "signal" } as const;
const byPromise = { cancels: "promise" } as const;

/** Without http2: got speaks it over TLS only, and the server of the soak has none. */
export const gotFlavours: readonly GotFlavour[] = [
  { ...bySignal, options: { timeout } },
  { ...byPromise, options: { timeout, retry: ownDelay(2) } },
  { ...bySignal, shortcut: "json", options: { timeout: wholeTimeout, parseJson } },
  { ...byPromise, shortcut: "buffer", options: { timeout, retry: ownDelay(5) } },
  { ...byPromise, options: { timeout, responseType: "json", parseJson } },
  { ...bySignal, options: { timeout, throwHttpErrors: false } },
  { ...bySignal, options: { timeout, context: { retryBudget: { deadline: 5000 } } } },
  { isRetried: false, options: { timeout } },
  { isRetried: true, options: { timeout, throwHttpErrors: false } },
  { isRetried: true, options: { timeout } },
  { isRetried: true, options: { timeout: wholeTimeout, retry: ownDelay(1) } },
];

/** What all have: got's own delays are a second and more. */
export const soakRetry: Partial<RetryOptions> = {
  backoffLimit: shortestWait,
  noise: 0,
  // Without it, a longer Retry-After than `timeout.request` is not waited for.
  maxRetryAfter: 60_000,
};

function ownDelay(limit: number): Partial<RetryOptions> {
  return { limit, calculateDelay: ({ computedValue }) => computedValue && shortestWait };
}
