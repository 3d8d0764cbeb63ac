import { isPlain } from "./is-plain.js";
import {
  aBoolean,
  aFunction,
  aNumber,
  anArray,
  anObject,
  aPlainObject,
  aWholeNumber,
  aWordOf,
  mistake,
} from "./mistake.js";

export type Check<Value = unknown> = (field: string, value: unknown) => Value;

/** Gives the value as it is, or throws a TypeError that names the field and the value. */
/* @__NO_SIDE_EFFECTS__ */
export function expectThat<Value>(
  isRight: (value: unknown) => boolean,
  expected: string,
): Check<Value> {
  return (field, value) => {
    if (isRight(value)) return value as Value;
    throw mistake(field, expected, value);
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function numberFrom(least: number, most: number): Check<number> {
  return expectThat(
    (value) => typeof value === "number" && value >= least && value <= most,
    aNumber(least, most),
  );
}

/* @__NO_SIDE_EFFECTS__ */
export function integerFrom(least: number, most: number): Check<number> {
  return expectThat(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    aWholeNumber(least, most),
  );
}

export const expectBoolean: Check<boolean> = expectThat(
  (value) => typeof value === "boolean",
  aBoolean,
);

export const expectFunction: Check = expectThat((value) => typeof value === "function", aFunction);

/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...words: readonly string[]): Check<string> {
  return expectThat((value) => words.includes(value as string), aWordOf(words));
}

export const expectArray: Check<readonly unknown[]> = expectThat(Array.isArray, anArray);

export const expectObject: Check<Readonly<Record<string, unknown>>> = expectThat(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  anObject,
);

export const expectPlainObject: typeof expectObject = (field, value) => {
  const object = expectObject(field, value);
  if (isPlain(object)) return object;
  throw mistake(field, aPlainObject, value);
};

/** For adapters, of a setting of theirs. @throws TypeError that names the field and the value. */
export function expectInteger(field: string, value: unknown, least: number, most: number): number {
  return integerFrom(least, most)(field, value);
}
