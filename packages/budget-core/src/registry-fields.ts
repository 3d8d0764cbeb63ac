import { type BudgetSettings, budgetFields } from "./budget-options.js";
import { expectClock, systemClock } from "./clock.js";
import { expectFunction, expectObject, expectPlainObject, integerFrom } from "./expect.js";
import { type Fields, resolveFields } from "./fields.js";
import { expectKey } from "./key.js";
import { repetition, show } from "./mistake.js";

/** What budgets by origin are made by. */
export const registryFields: Fields = {
  ...budgetFields,
  origins: [resolveOrigins, {}],
  maxOrigins: [expectMaxOrigins, 10_000],
  clock: [expectClock, systemClock],
};

// One at least must be left for the origins that have no settings of their own.
function expectMaxOrigins(field: string, value: unknown, { origins }: Values): unknown {
  return integerFrom(1 + (origins as OwnSettings).size, 1e7)(field, value);
}

function resolveOrigins(of: string, value: unknown, _: Values, base: Values): OwnSettings {
  const resolved = new Map<string, BudgetSettings>();
  for (const [name, own] of Object.entries(expectPlainObject(of, value))) {
    const field = `${of}[${show(name)}]`;
    const key = expectKey(field, name);
    if (resolved.has(key)) throw repetition(field, name, key);
    const settings: unknown = resolveFields(budgetFields, own, field, base);
    resolved.set(key, settings as BudgetSettings);
  }
  return resolved;
}

/** Of budgets or of breakers by origin. */
export function expectSource(field: string, value: unknown): unknown {
  expectFunction(`${field}.of`, expectObject(field, value)["of"]);
  return value;
}

type Values = Readonly<Record<string, unknown>>;
type OwnSettings = Map<string, BudgetSettings>;
