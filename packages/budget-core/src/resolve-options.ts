import { longestTimer, resolveBackoff } from "./backoff.js";
import {
  type BudgetOptions,
  type BudgetSettings,
  budgetOptionNames,
  expectBudgetOptions,
  resolveBudgetOptions,
} from "./budget-options.js";
import { type Clock, containClock, expectClock, systemClock } from "./clock.js";
import {
  definedOf,
  expectBoolean,
  expectFunction,
  expectInteger,
  expectKnownKeys,
  expectNumber,
  expectObject,
  expectPlainObject,
  mistake,
  show,
} from "./expect.js";
import {
  type Budgets,
  type PolicySettings,
  policyDefaults,
  type RegistrySettings,
} from "./options.js";
import { keyOf } from "./origin.js";
import type { Warn } from "./warner.js";

export const optionNames: readonly string[] = [
  ...budgetOptionNames,
  ...Object.keys(policyDefaults),
];

/** @throws TypeError that names the field and the value. */
export function resolvePolicyOptions(options: unknown, warn: Warn): PolicySettings {
  const given = definedOf(expectPlainObject("options", options));
  expectKnownKeys("the retry policy's options", given, optionNames);
  const merged: Record<string, unknown> = { ...policyDefaults, ...given };
  const random = boundedRandom(functionOr("random", merged["random"], Math.random));
  return {
    ...resolveRegistryOptions(given, warn),
    depositOn: expectDepositOn(merged["depositOn"]),
    maxAttempts: expectAttempts("maxAttempts", merged["maxAttempts"]),
    backoff: resolveBackoff(merged["backoff"], random),
    maxRetryAfter: expectNumber("maxRetryAfter", merged["maxRetryAfter"], 0, longestTimer),
    deadline: expectDeadline("deadline", merged["deadline"]),
    methods: resolveMethods(merged["methods"]),
    statuses: resolveStatuses(merged["statuses"]),
    idempotencyKey: expectBoolean("idempotencyKey", merged["idempotencyKey"]),
    classify: functionOr("classify", merged["classify"], undefined),
    onRetry: functionOr("onRetry", merged["onRetry"], undefined),
    random,
  };
}

/** @throws TypeError that names the field and the value. */
export function resolveRegistryOptions(
  given: Readonly<Record<string, unknown>>,
  warn: Warn,
): RegistrySettings {
  const { maxOrigins = policyDefaults["maxOrigins"], clock, budgets } = given;
  const origins = resolveOrigins(given["origins"], given);
  return {
    budget: resolveBudgetOptions(given),
    origins,
    // One at least must be left for the origins that have no settings of their own.
    maxOrigins: expectInteger("maxOrigins", maxOrigins, 1 + origins.size, 1e7),
    budgets: resolveBudgets(budgets),
    clock: resolveClock(clock, warn),
  };
}

function resolveClock(value: unknown, warn: Warn): Clock {
  return value === undefined ? systemClock : containClock(expectClock("clock", value), warn);
}

export function expectAttempts(field: string, value: unknown): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  return expectInteger(field, value, 1, Number.MAX_SAFE_INTEGER);
}

export function expectDeadline(field: string, value: unknown): number {
  if (typeof value === "number" && value > 0) return value;
  throw mistake(field, "a number of ms above 0", value);
}

function expectDepositOn(value: unknown): "request" | "success" {
  if (value === "request" || value === "success") return value;
  throw mistake("depositOn", `"request" or "success"`, value);
}

function functionOr<Type>(field: string, value: unknown, otherwise: Type): Type {
  if (value === undefined) return otherwise;
  expectFunction(field, value);
  return value as Type;
}

// A number out of range must not make a wait shorter than the server asked for.
function boundedRandom(random: () => number): () => number {
  return () => {
    const drawn = random();
    return drawn >= 0 && drawn <= 1 ? drawn : 1;
  };
}

function resolveMethods(value: unknown): ReadonlySet<string> {
  const methods = listOf("methods", value);
  for (const method of methods) {
    // RFC 9110 §5.6.2: a method is a token.
    if (typeof method !== "string" || !/^[!#$%&'*+.^_`|~\w-]+$/.test(method)) {
      throw mistake("methods", "HTTP methods", value);
    }
  }
  return new Set(methods.map((method) => String(method).toUpperCase()));
}

function resolveStatuses(value: unknown): ReadonlySet<number> {
  const statuses = listOf("statuses", value);
  return new Set(statuses.map((status) => expectInteger("statuses", status, 400, 599)));
}

function listOf(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw mistake(field, "an array", value);
}

function resolveBudgets(value: unknown): Budgets | undefined {
  if (value === undefined) return undefined;
  expectFunction("budgets.of", expectObject("budgets", value)["of"]);
  return value as Budgets;
}

function resolveOrigins(value: unknown, base: object): ReadonlyMap<string, BudgetSettings> {
  const resolved = new Map<string, BudgetSettings>();
  if (value === undefined) return resolved;
  for (const [name, own] of Object.entries(expectPlainObject("origins", value))) {
    const field = `origins[${show(name)}]`;
    expectBudgetOptions(field, own);
    const key = expectKey(field, name);
    if (resolved.has(key))
      throw mistake(field, "one of its kind", `${name}, which is ${key} again`);
    resolved.set(key, resolveBudgetOptions(mergeBudgetOptions(base, own as object), `${field}.`));
  }
  return resolved;
}

/** An origin whose capacity is smaller starts full, and not with more than it holds. */
function mergeBudgetOptions(base: BudgetOptions, own: BudgetOptions): BudgetOptions {
  const merged = { ...base, ...definedOf(own) };
  const { initial, capacity } = merged;
  const isTooMuch = own.initial === undefined && Number(initial) > Number(capacity);
  return isTooMuch ? { ...merged, initial: capacity } : merged;
}

/** @throws TypeError if the value is neither a URL nor a name. */
export function expectKey(field: string, value: unknown): string {
  if (value instanceof URL || (typeof value === "string" && value !== "")) {
    try {
      return keyOf(value);
    } catch {
      // The message below names the field; the parser's does not.
    }
  }
  throw mistake(field, "a URL or a name", value);
}
