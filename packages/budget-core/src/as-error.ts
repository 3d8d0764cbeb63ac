import { textOf } from "./text-of.js";

/** For clients that take what is no object for no error: anything can be thrown. */
export function asError(thrown: unknown): object {
  const object: object = Object(thrown);
  return object === thrown ? object : new Error(textOf(thrown), { cause: thrown });
}
