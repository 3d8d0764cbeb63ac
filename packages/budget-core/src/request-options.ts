import { expectBoolean, expectFunction, expectKnownKeys, expectPlainObject } from "./expect.js";
import { expectKey } from "./origin.js";
import { expectAttempts, expectDeadline } from "./resolve-options.js";
import { textOf } from "./text-of.js";
import type { Warn } from "./warner.js";

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

const checks: Readonly<Record<string, (field: string, value: unknown) => unknown>> = {
  idempotent: expectBoolean,
  maxAttempts: expectAttempts,
  deadline: expectDeadline,
  key: expectKey,
  body: expectFunction,
};

export const requestOptionNames: readonly string[] = Object.keys(checks);

/** @throws TypeError that names the option and the value. */
export function expectRequestOptions(options: unknown): void {
  const given = Object.entries(expectPlainObject("retryBudget", options));
  for (const [name, value] of given) expectMember(name, value);
}

const none: RequestSettings = {};

/** A mistake in here is met at request time: it is warned about and left out, never thrown. */
export function resolveRequestOptions(options: unknown, warn: Warn): RequestSettings {
  if (options === undefined || options === null || options === true) return none;
  const settings: Record<string, unknown> = {};
  try {
    for (const [name, value] of Object.entries(expectPlainObject("retryBudget", options))) {
      settings[name] = resolveMember(name, value, warn);
    }
  } catch (error) {
    leaveOut("retryBudget", error, warn);
  }
  return settings as RequestSettings;
}

function resolveMember(name: string, value: unknown, warn: Warn): unknown {
  try {
    return expectMember(name, value);
  } catch (error) {
    leaveOut(`retryBudget.${name}`, error, warn);
    return undefined;
  }
}

function expectMember(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  expectKnownKeys("`retryBudget`", { [name]: value }, requestOptionNames);
  return checks[name]?.(`retryBudget.${name}`, value);
}

function leaveOut(field: string, error: unknown, warn: Warn): void {
  warn("RETRY_BUDGET_OPTIONS", `${textOf(error)} It was left out.`, field);
}
