import { type Call, longestTimer } from "@retry-budget/core";
import type { CurrentOptions } from "./got-facts.js";

/**
 * Keeps each attempt within the call's deadline by got's own `timeout.request`, so that got ends it,
 * in its own way and with its own timer. The user's own value is never raised, and is put back.
 */
export class AttemptTime {
  readonly #call: Call;
  /** What was put in the place of the user's. */
  #lowered: number | undefined;
  #own: number | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Whether time is left. If not, what is not sent after all ends at once. */
  limit(options: CurrentOptions): boolean {
    const remaining = this.#call.remaining();
    // got 16 goes on with the timer of the request that was redirected.
    if (remaining > 0 && this.#isLowered(options) && isTimedAsOne(options)) return true;
    this.restore(options);
    // A ms later, so that the deadline has come by then.
    const time = remaining > 0 ? Math.ceil(remaining) + 1 : 1;
    this.#lower(options, Math.min(time, longestTimer));
    return remaining > 0;
  }

  /** What is not sent after all ends at once. */
  end(options: CurrentOptions): void {
    this.restore(options);
    this.#lower(options, 1);
  }

  /** For the next attempt, or the caller to see. */
  restore(options: CurrentOptions | undefined): void {
    if (options !== undefined && this.#isLowered(options)) setTime(options, this.#own);
    this.#lowered = undefined;
  }

  /** Whether it was the deadline that ended the attempt, by got's timer. */
  hasEnded(error: unknown): boolean {
    const { name, event }: { name?: unknown; event?: unknown } = Object(error);
    return this.#lowered !== undefined && name === "TimeoutError" && event === "request";
  }

  #lower(options: CurrentOptions, time: number): void {
    const own = timeOf(options);
    if (own !== undefined && own <= time) return;
    this.#own = own;
    this.#lowered = time;
    setTime(options, time);
  }

  #isLowered(options: CurrentOptions): boolean {
    return this.#lowered !== undefined && timeOf(options) === this.#lowered;
  }
}

/** got 11 is without its `timeout` for a moment, and where its request cannot be made. */
function timeOf({ timeout }: Partial<CurrentOptions>): number | undefined {
  return timeout?.request;
}

/** Another object: a handler may give one that requests share, and what is under way keeps its own. */
function setTime(options: CurrentOptions, request: number | undefined): void {
  // Without the key got would take no value for it later.
  options.timeout = { ...options.timeout, request } as CurrentOptions["timeout"];
}

/** Whether one timer is for all the redirects of an attempt, as in got 16; before, each has its own. */
function isTimedAsOne(options: CurrentOptions): boolean {
  return "mergeNextRequestOptions" in options;
}
