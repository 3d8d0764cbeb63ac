import { expectPlainObject, numberFrom } from "./expect.js";
import { unknownOption } from "./mistake.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * Options by name: how each is checked, and its default. A check gets the value, what was resolved
 * before it, and all that was given.
 */
export type Fields = Readonly<Record<string, readonly [check: FieldCheck, fallback?: unknown]>>;
type FieldCheck = (field: string, value: unknown, resolved: Values, given: Values) => unknown;

/**
 * Options with their defaults, checked. What is explicitly `undefined` counts as not given, so that
 * it cannot erase a default; a misspelt option would otherwise silently mean the default.
 * @param base goes before the defaults
 * @throws TypeError that names the option and the value.
 */
export function resolveFields(
  fields: Fields,
  options: unknown,
  name = "options",
  base: Values = {},
): Record<string, unknown> {
  const given = expectPlainObject(name, options);
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined) rowOf(fields, name, key, value);
  }
  const path = name === "options" ? "" : `${name}.`;
  const resolved: Record<string, unknown> = {};
  for (const [key, [check, fallback]] of Object.entries(fields)) {
    const { [key]: inherited = fallback } = base;
    const { [key]: value = inherited } = given;
    if (value !== undefined) resolved[key] = check(path + key, value, resolved, given);
  }
  return resolved;
}

/** How one option is resolved. @throws TypeError if there is none of that name. */
export function rowOf<Row>(
  fields: Readonly<Record<string, Row>>,
  name: string,
  key: string,
  value: unknown,
): Row {
  const row = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (row !== undefined) return row;
  throw unknownOption(name, key, value, Object.keys(fields));
}

/** A number from 0 to what another option says; a default is as large as that allows. */
/* @__NO_SIDE_EFFECTS__ */
export function upTo(other: string, name: string): FieldCheck {
  return (field, value, resolved, given) => {
    const most = Number(resolved[other]);
    const own = given[name] === undefined ? Math.min(Number(value), most) : value;
    return numberFrom(0, most)(field, own);
  };
}
