import type { ReadHeader } from "@retry-budget/core";
import type { ModernController, ParsedHeaders } from "./undici-handlers.js";

/** The head of a response in whichever form undici gave it; the other form is made when needed. */
export interface Head extends Trailers {
  readonly status: number;
  readonly statusText: string;
}

export interface Trailers {
  readonly raw: Buffer[] | undefined;
  readonly parsed: ParsedHeaders | undefined;
}

export function headOfLegacy(status: number, raw: Buffer[], statusText: string): Head {
  return { status, statusText, raw, parsed: undefined };
}

export function headOfModern(
  controller: ModernController,
  status: number,
  parsed: ParsedHeaders,
  statusText = "",
): Head {
  return { status, statusText, raw: rawListOf(controller.rawHeaders), parsed };
}

/** Undici 7 nests the values of repeated names; for HTTP/2 there may be no list at all. */
export function rawListOf(raw: unknown): Buffer[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const list: Buffer[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, values] = [raw[index], raw[index + 1]];
    for (const value of Array.isArray(values) ? values : [values]) {
      list.push(bufferOf(name), bufferOf(value));
    }
  }
  return list;
}

export function rawOf({ raw, parsed = {} }: Trailers): Buffer[] {
  if (raw !== undefined) return raw;
  return rawListOf(Object.entries(parsed).flat()) ?? [];
}

/** Repeated names become arrays, as undici's own parser makes them. */
export function parsedOf({ raw = [], parsed }: Trailers): ParsedHeaders {
  if (parsed !== undefined) return parsed;
  const headers: ParsedHeaders = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toString("latin1").toLowerCase() ?? "";
    const value = raw[index + 1]?.toString("latin1") ?? "";
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

/** Reads headers by name, and parses them once for all readings. */
export function headerReader(head: Head): ReadHeader {
  let parsed: ParsedHeaders | undefined;
  return (name) => {
    parsed ??= parsedOf(head);
    return parsed[name];
  };
}

function bufferOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value), "latin1");
}
