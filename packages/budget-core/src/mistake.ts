import { isPlain } from "./is-plain.js";

// All texts of errors at set-up. In browsers `mistake.browser.ts` takes the place of this file.

export const aBoolean = "true or false";
export const aFunction = "a function";
export const anArray = "an array";
export const anObject = "an object";
export const aPlainObject = "a plain object";
export const aTime = "a number of ms above 0";
export const aKey = "a URL or a name";
export const aUrl = "a URL, such as https://api.example.com";
export const aBody = "a body";
export const aRatio = "0 or at least 0.000001";
export const httpMethods = "HTTP methods";
export const plainOptions = "options; give the policy itself to the adapter";

export function aNumber(least: number, most: number): string {
  return `a number from ${least} to ${most}`;
}

export function aWholeNumber(least: number, most: number): string {
  return `a whole number from ${least} to ${most}`;
}

export function aWordOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(" or ");
}

/** The error for an option that is not what it has to be: names the field and the value. */
export function mistake(field: string, expected: string, value: unknown): TypeError {
  return new TypeError(`Expected \`${field}\` to be ${expected}, got ${show(value)}.`);
}

export function repetition(field: string, name: string, key: string): TypeError {
  return mistake(field, "one of its kind", `${name}, which is ${key} again`);
}

export function unknownOption(
  field: string,
  name: string,
  value: unknown,
  known: readonly string[],
): TypeError {
  const of = /^options$|]$/.test(field) ? field : `\`${field}\``;
  return new TypeError(
    `Unknown option \`${name}\` (${show(value)}) in ${of}. Known options: ${known.join(", ")}.`,
  );
}

/** Names a value in an error message without spilling whole objects into logs. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return `the function ${value.name || "(anonymous)"}`;
  // One level deep: an array may hold itself.
  if (Array.isArray(value)) {
    return `[${value.map((member) => (Array.isArray(member) ? "an array" : show(member))).join(", ")}]`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (!isPlain(value)) return `an instance of ${value.constructor?.name ?? "another class"}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? "an object" : `an object with ${keys.join(", ")}`;
}
