import { type Mark, type Marks, mistake, originOf, resolveSettings } from "@retry-budget/core";
import { distinct, type MarkNames, resolveNames } from "./header-names.js";
import type { MarkHeader } from "./mark-header.js";
import { ownHeaders } from "./plain-header.js";
import { type Preset, presetNames, presets } from "./presets.js";

/** How the marks are written. */
export interface OriginMarks {
  /** Whose headers are used. @default our own names */
  readonly preset?: Preset | undefined;
  /** Names in place of those. @default none */
  readonly names?: MarkNames | undefined;
}

export interface OutgoingOptions extends OriginMarks {
  /**
   * The origins that are told, such as `http://orders:8080`; or an object with, for each of them,
   * a `preset` and `names` of its own. No other origin ever gets a mark.
   */
  readonly origins: readonly (string | URL)[] | Readonly<Record<string, OriginMarks>>;
}

/**
 * For the option `marks` of a policy: headers that tell the servers named of each attempt.
 * @throws TypeError that names the field and the value.
 */
export function outgoing(options: OutgoingOptions): Marks {
  const { origins, ...common } = resolveSettings(
    options,
    { origins: expectOrigins, ...checks },
    "options",
  );
  if (origins === undefined) throw mistake("origins", anOrigin, origins);
  const headersOf = new Map<string, readonly MarkHeader[]>();
  for (const [field, name, own] of origins) {
    const origin = expectOrigin(field, name);
    if (headersOf.has(origin)) throw mistake(field, "an origin that is not named twice", name);
    headersOf.set(origin, resolveHeaders(field, common, own));
  }
  return (mark) => {
    const headers = headersOf.get(mark.origin);
    return headers === undefined ? undefined : write(headers, mark);
  };
}

interface Resolved {
  readonly preset?: Preset;
  readonly names?: ReturnType<typeof resolveNames>;
}

type OriginEntry = readonly [field: string, name: unknown, own: unknown];

const anOrigin = "a list of origins, or an object by origin";

function expectOrigins(field: string, value: unknown): readonly OriginEntry[] {
  if (Array.isArray(value)) {
    return value.map((name, index) => [`${field}[${index}]`, name, {}] as const);
  }
  // A Map, a Set or a URL has no entries, which would silently name nobody.
  const isPlain = Object.prototype.toString.call(value) === "[object Object]";
  if (!isPlain) throw mistake(field, anOrigin, value);
  return Object.entries(value as object).map(
    ([name, own]) => [`${field}[${JSON.stringify(name)}]`, name, own] as const,
  );
}

function expectOrigin(field: string, value: unknown): string {
  const url = String(value);
  // With a path it would say less than it does.
  if (URL.canParse(url) && [originOf(url), `${originOf(url)}/`].includes(new URL(url).href)) {
    return originOf(url);
  }
  throw mistake(field, "an origin, such as https://api.example.com", value);
}

function expectPreset(field: string, value: unknown): Preset {
  if (presetNames.includes(value as string)) return value as Preset;
  throw mistake(field, presetNames.map((name) => `"${name}"`).join(" or "), value);
}

const checks = { preset: expectPreset, names: resolveNames };

function resolveHeaders(field: string, common: Resolved, own: unknown): readonly MarkHeader[] {
  const { preset, names } = { ...common, ...resolveSettings(own, checks, field) };
  const { proxy, ...told } = { ...ownHeaders, ...(preset && presets[preset]), ...names };
  return distinct(`${field}.names`, [...Object.values(told), told.retried && proxy]);
}

function write(headers: readonly MarkHeader[], mark: Mark): Readonly<Record<string, string>> {
  const written: Record<string, string> = {};
  for (const header of headers) {
    const text = header.write(mark);
    if (text !== undefined) written[header.name] = text;
  }
  return written;
}
