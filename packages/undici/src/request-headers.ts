/** What a header is set to, if to something, in every shape in which undici takes headers. */
export function headerOf(headers: unknown, name: string): unknown {
  const pair = pairsOf(headers).find(
    ([candidate, value]) =>
      String(candidate).toLowerCase() === name && [value].flat().some(Boolean),
  );
  return pair?.[1];
}

/** Names and values in the shapes that undici takes; undefined for what it would not take. */
export function headerPairs(headers: unknown): [string, unknown][] | undefined {
  if (typeof headers !== "object" && headers !== undefined) return undefined;
  if (Array.isArray(headers) && headers.length % 2 === 1) return undefined;
  const pairs = pairsOf(headers);
  return pairs.every(isNamed) ? pairs : undefined;
}

/** An iterator can be read once, which the first attempt does: it is copied into a flat list. */
export function withReusableHeaders<Options extends object>(
  options: Options & { readonly headers?: unknown },
): Options & { readonly headers?: unknown } {
  const { headers } = options;
  if (!isIterator(headers)) return options;
  // By spreading: undici hands itself options under symbols.
  return { ...options, headers: Array.from(headers).flat() };
}

function pairsOf(headers: unknown): (readonly unknown[])[] {
  if (Array.isArray(headers)) return pairsOfList(headers);
  if (isIterable(headers)) return Array.from(headers);
  return Object.entries(Object(headers));
}

function isNamed(pair: readonly unknown[]): pair is [string, unknown] {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string";
}

// Names and values take turns.
function pairsOfList(list: readonly unknown[]): (readonly unknown[])[] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []));
}

function isIterable(headers: unknown): headers is Iterable<readonly unknown[]> {
  return typeof headers === "object" && headers !== null && Symbol.iterator in headers;
}

function isIterator(headers: unknown): headers is Iterable<readonly unknown[]> {
  const next = (headers as { readonly next?: unknown } | null | undefined)?.next;
  return typeof next === "function" && isIterable(headers);
}
