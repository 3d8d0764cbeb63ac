/** undici takes what is no object for no error: its `request` would resolve with nothing. */
export function asError(thrown: unknown): Error {
  if (typeof thrown === "object" && thrown !== null) return thrown as Error;
  return new Error(String(thrown), { cause: thrown });
}
