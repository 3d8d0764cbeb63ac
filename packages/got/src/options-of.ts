import type { Options } from "got";

/** Of whatever a hook of the user's has put in the place of got's error. */
export function optionsOf(error: unknown): Options | undefined {
  return (Object(error) as { readonly options?: Options }).options;
}
