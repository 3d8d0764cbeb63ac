import { isToken, mistake, resolveSettings } from "@retry-budget/core";
import type { MarkHeader, MarkKind } from "./mark-header.js";
import { plainHeader } from "./plain-header.js";

/** Other names for the marks, which then are plain numbers; `false` leaves a mark out. */
export interface MarkNames {
  /** Number of the attempt, from 1. */
  readonly attempt?: string | false | undefined;
  /** `1`: "I retry". */
  readonly retried?: string | false | undefined;
  /** Whole ms until the deadline. */
  readonly deadline?: string | false | undefined;
}

// A mark takes the place of what the caller has set: these carry the request or what it means.
const taken =
  /^(?:accept|content|if|proxy|sec|access-control)-|^(?:accept|authorization|connection|cookie|date|expect|host|http2-settings|idempotency-key|keep-alive|origin|range|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via)$/;

/**
 * The headers that were named; undefined in place of those that are left out.
 * @throws TypeError that names the field and the value.
 */
export function resolveNames(
  field: string,
  names: unknown,
): { readonly [Kind in MarkKind]?: MarkHeader | undefined } {
  const resolved = resolveSettings(
    names,
    { attempt: expectName, retried: expectName, deadline: expectName },
    field,
  );
  const headers = Object.entries(resolved).map(([kind, name]) => [
    kind,
    name === false ? undefined : plainHeader[kind as MarkKind](name),
  ]);
  return Object.fromEntries(headers);
}

function expectName(field: string, value: unknown): string | false {
  if (value === false) return false;
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (isToken(name) && !taken.test(name)) return name;
  throw mistake(field, "the name of a header that is free for it, or false", value);
}

/**
 * Each header once.
 * @throws TypeError if two of them share a name.
 */
export function distinct(
  field: string,
  headers: Iterable<MarkHeader | undefined>,
): readonly MarkHeader[] {
  const known = new Map<string, MarkHeader>();
  for (const header of headers) {
    if (header === undefined) continue;
    const { name } = header;
    if ((known.get(name) ?? header) !== header) {
      throw mistake(field, "different names for different marks", `${name} twice`);
    }
    known.set(name, header);
  }
  return [...known.values()];
}
