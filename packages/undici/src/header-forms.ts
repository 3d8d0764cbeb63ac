/** Headers as the modern API hands them over. */
export type ParsedHeaders = Record<string, string | string[] | undefined>;

/** The list of names and values that the legacy API hands over. */
export function listOf(raw: unknown, parsed: ParsedHeaders | undefined): Buffer[] {
  // For HTTP/2 there may be no list.
  if (!Array.isArray(raw)) return flatListOf(Object.entries(parsed ?? {}).flat());
  // By the legacy API it came as it goes on; most lists do.
  return parsed === undefined && !isNested(raw) ? (raw as Buffer[]) : flatListOf(raw);
}

/** Repeated names become arrays, as undici's own parser makes them. */
export function parsedOf(raw: unknown): ParsedHeaders {
  const headers: ParsedHeaders = {};
  const list = Array.isArray(raw) ? flatListOf(raw) : [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index]?.toString("latin1").toLowerCase() ?? "";
    const value = list[index + 1]?.toString("latin1") ?? "";
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

/** undici 7 nests the values of repeated names where it wraps a legacy handler. */
function isNested(raw: readonly unknown[]): boolean {
  // By a loop: to call back for each entry took a third of what the whole interceptor takes.
  for (let index = 1; index < raw.length; index += 2) {
    if (Array.isArray(raw[index])) return true;
  }
  return false;
}

function flatListOf(raw: readonly unknown[]): Buffer[] {
  const list: Buffer[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const values = raw[index + 1];
    for (const value of Array.isArray(values) ? values : [values]) {
      list.push(bufferOf(raw[index]), bufferOf(value));
    }
  }
  return list;
}

function bufferOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value), "latin1");
}
