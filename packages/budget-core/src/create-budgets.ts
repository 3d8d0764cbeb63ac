import type { BudgetOptions } from "./budget-options.js";
import type { Clock } from "./clock.js";
import type { Budgets, RegistrySettings } from "./options.js";
import { OriginRegistry } from "./origin-registry.js";
import { registryFields } from "./registry-fields.js";
import { Reporter } from "./reporter.js";
import { resolveOptions } from "./resolve-options.js";
import { createWarner } from "./warnings.js";

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
  const warn = createWarner();
  const settings = resolveOptions<RegistrySettings>(registryFields, options, warn);
  return new OriginRegistry(settings, new Reporter(warn), warn);
}
