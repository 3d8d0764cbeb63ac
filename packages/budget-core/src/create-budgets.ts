import { type BudgetOptions, budgetOptionNames } from "./budget-options.js";
import type { Clock } from "./clock.js";
import { definedOf, expectKnownKeys, expectPlainObject } from "./expect.js";
import type { Budgets } from "./options.js";
import { OriginRegistry } from "./origin-registry.js";
import { Reporter } from "./reporter.js";
import { resolveRegistryOptions } from "./resolve-registry-options.js";
import { createWarner } from "./warner.js";

/** What budgets by origin are made by. */
export interface BudgetsOptions extends BudgetOptions {
  /** Most budgets held; the least recently used one is taken over, tokens and all. @default 10_000 */
  readonly maxOrigins?: number | undefined;
  /** Overrides by origin; these are never taken over. */
  readonly origins?: Readonly<Record<string, BudgetOptions>> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Budgets by origin, as a policy makes them for itself: to share between policies with different
 * limits, or to put something of your own around.
 * @throws TypeError that names the option and the value.
 */
export function createBudgets(options: BudgetsOptions = {}): Budgets {
  const given = definedOf(expectPlainObject("options", options));
  expectKnownKeys("the options of budgets", given, optionNames);
  const warn = createWarner();
  return new OriginRegistry(resolveRegistryOptions(given, warn), new Reporter(warn), warn);
}

const optionNames = [...budgetOptionNames, "maxOrigins", "origins", "clock"];
