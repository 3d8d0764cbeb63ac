import { textOf } from "./text-of.js";

// Terse texts for browsers: they name the field and the value, and nothing more.

export const aBoolean = "";
export const aFunction = "";
export const anArray = "";
export const anObject = "";
export const aPlainObject = "";
export const aTime = "";
export const aKey = "";
export const aUrl = "";
export const aBody = "";
export const aRatio = "";
export const httpMethods = "";
export const plainOptions = "";

export function aNumber(_least: number, _most: number): string {
  return "";
}

export function aWholeNumber(_least: number, _most: number): string {
  return "";
}

export function aWordOf(_words: readonly string[]): string {
  return "";
}

export function mistake(field: string, _expected: string, value: unknown): TypeError {
  return new TypeError(`retryBudget: bad \`${field}\`: ${textOf(value)}`);
}

export function repetition(field: string, name: string, _key: string): TypeError {
  return mistake(field, "", name);
}

export function unknownOption(
  field: string,
  name: string,
  value: unknown,
  _known: readonly string[],
): TypeError {
  return mistake(`${field}.${name}`, "", value);
}

export function show(value: unknown): string {
  return textOf(value);
}
