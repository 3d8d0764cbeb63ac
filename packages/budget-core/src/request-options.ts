import { type Check, expectBoolean, expectFunction, expectPlainObject } from "./expect.js";
import { resolveFields, rowOf } from "./fields.js";
import { expectKey } from "./key.js";
import { expectAttempts, expectDeadline } from "./policy-fields.js";
import { type Warn, warnOfRequestOptions } from "./warnings.js";

/** Options of one request, under the name `retryBudget` in each client's own place. */
export interface RetryBudgetRequestOptions {
  /** True: may be reissued whatever its method. False: may not, unless it was never sent. */
  readonly idempotent?: boolean | undefined;
  /** Attempts of this request, the first included. */
  readonly maxAttempts?: number | undefined;
  /** Ms for this whole call. */
  readonly deadline?: number | undefined;
  /** The budget to use instead of the origin's: a URL, or the name of something else. */
  readonly key?: string | URL | undefined;
  /**
   * Makes the body of a retry anew, where the request's own can be sent once only, such as a file
   * stream; may be async. For clients that can be given another body (undici, axios).
   */
  readonly body?: (() => unknown) | undefined;
}

export interface RequestSettings {
  readonly idempotent?: boolean;
  readonly maxAttempts?: number;
  readonly deadline?: number;
  readonly key?: string;
  readonly body?: () => unknown;
}

export const requestFields: Readonly<Record<string, readonly [check: Check]>> = {
  idempotent: [expectBoolean],
  maxAttempts: [expectAttempts],
  deadline: [expectDeadline],
  key: [expectKey],
  body: [expectFunction],
};

/** @throws TypeError that names the option and the value. */
export function expectRequestOptions(options: unknown): void {
  resolveFields(requestFields, options, "retryBudget");
}

const none: RequestSettings = {};

/** A mistake in here is met at request time: it is warned about and left out, never thrown. */
export function resolveRequestOptions(options: unknown, warn: Warn): RequestSettings {
  if (options === undefined || options === null || options === true) return none;
  const settings: Record<string, unknown> = {};
  try {
    for (const [name, value] of Object.entries(expectPlainObject("retryBudget", options))) {
      if (value !== undefined) settings[name] = resolveMember(name, value, warn);
    }
  } catch (error) {
    warnOfRequestOptions(warn, "", error);
  }
  return settings;
}

// By its own row, and not by resolveFields: that asks all rows, and this is on the path of a success.
function resolveMember(name: string, value: unknown, warn: Warn): unknown {
  try {
    const [check] = rowOf(requestFields, "retryBudget", name, value);
    return check(`retryBudget.${name}`, value);
  } catch (error) {
    warnOfRequestOptions(warn, name, error);
    return undefined;
  }
}
