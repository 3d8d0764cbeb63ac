/** Whether a header is set, in every shape in which undici takes headers. */
export function hasHeader(headers: unknown, name: string): boolean {
  return namesOf(headers).some((candidate) => String(candidate).toLowerCase() === name);
}

function namesOf(headers: unknown): unknown[] {
  if (typeof headers !== "object" || headers === null) return [];
  // A flat list of names and values.
  if (Array.isArray(headers)) return headers.filter((_, index) => index % 2 === 0);
  if (Symbol.iterator in headers) {
    return Array.from(headers as Iterable<unknown>, (pair) => (pair as unknown[])[0]);
  }
  return Object.keys(headers);
}
