/** Whether this is a token by RFC 9110 §5.6.2, as methods and the names of headers have to be. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]+$/.test(value);
}
