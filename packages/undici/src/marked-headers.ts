import { headerPairs } from "./request-headers.js";

/**
 * The headers of a request with marks in place of whatever has their names; the request's own are
 * left as they are. What undici would not take is left to its own error.
 * @param isOver whether the marks have been sent: a redirect beneath would take them elsewhere
 */
export function markedHeaders(
  headers: unknown,
  marks: Readonly<Record<string, string>>,
  isOver: () => boolean,
): unknown {
  const pairs = headerPairs(headers);
  if (pairs === undefined) return headers;
  const marked: Record<string, unknown> = Object.create(null);
  for (const [name, value] of pairs) {
    if (Object.hasOwn(marks, name.toLowerCase())) continue;
    marked[name] = name in marked ? [marked[name], value].flat() : value;
  }
  for (const [name, value] of Object.entries(marks)) {
    const get = (): string | undefined => (isOver() ? undefined : value);
    Object.defineProperty(marked, name, { enumerable: true, get });
  }
  return marked;
}
