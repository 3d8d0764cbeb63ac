import { longestTimer, resolveBackoff } from "./backoff.js";
import { budgetOptionNames } from "./budget-options.js";
import {
  definedOf,
  expectBoolean,
  expectFunction,
  expectInteger,
  expectKnownKeys,
  expectNumber,
  expectPlainObject,
  mistake,
} from "./expect.js";
import { type PolicySettings, policyDefaults } from "./options.js";
import { resolveRegistryOptions } from "./resolve-registry-options.js";
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
