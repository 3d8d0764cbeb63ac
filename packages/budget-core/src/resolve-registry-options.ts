import {
  type BudgetOptions,
  type BudgetSettings,
  expectBudgetOptions,
  resolveBudgetOptions,
} from "./budget-options.js";
import { resolveClock } from "./clock.js";
import {
  definedOf,
  expectFunction,
  expectInteger,
  expectObject,
  expectPlainObject,
  mistake,
  show,
} from "./expect.js";
import { type Budgets, policyDefaults, type RegistrySettings } from "./options.js";
import { expectKey } from "./origin.js";
import type { Warn } from "./warner.js";

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
