import { resolveFields } from "./fields.js";

type Check = (field: string, value: unknown) => unknown;
type Resolved<Checks extends Record<string, Check>> = {
  readonly [Name in keyof Checks]?: ReturnType<Checks[Name]>;
};

/**
 * For adapters: checks the settings that are the adapter's own, and not the policy's.
 * @param name what the caller knows them by
 * @throws TypeError that names the field and the value.
 */
export function resolveSettings<Checks extends Record<string, Check>>(
  settings: unknown,
  checks: Checks,
  name = "settings",
): Resolved<Checks> {
  const rows = Object.entries(checks).map(([field, check]) => [field, [check]] as const);
  return resolveFields(Object.fromEntries(rows), settings, name) as Resolved<Checks>;
}
