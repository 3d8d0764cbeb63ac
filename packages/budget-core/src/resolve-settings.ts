import { resolveFields } from "./fields.js";

type Check = (field: string, value: unknown) => unknown;
type Resolved<Checks extends Record<string, Check>> = {
  readonly [Name in keyof Checks]?: ReturnType<Checks[Name]>;
};

/**
 * For adapters: checks the settings that are the adapter's own, and not the policy's.
 * @throws TypeError that names the field and the value.
 */
export function resolveSettings<Checks extends Record<string, Check>>(
  settings: unknown,
  checks: Checks,
): Resolved<Checks> {
  const rows = Object.entries(checks).map(([name, check]) => [name, [check]] as const);
  return resolveFields(Object.fromEntries(rows), settings, "settings") as Resolved<Checks>;
}
