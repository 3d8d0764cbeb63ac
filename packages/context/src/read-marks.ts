import { mistake, resolveSettings } from "@retry-budget/core";
import { distinct, type MarkNames, resolveNames } from "./header-names.js";
import type { IncomingMarks, MarkHeader } from "./mark-header.js";
import { ownHeaders } from "./plain-header.js";
import { type Preset, presetNames, presets } from "./presets.js";

/** Headers of a request: those of `node:http` by name, or a `Headers`. */
export type RequestHeaders =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null };

export interface ReadMarksOptions {
  /** Whose headers are read beside our own. @default [] */
  readonly presets?: readonly Preset[] | undefined;
  /** Names in place of our own; `false`: not read. @default none */
  readonly names?: MarkNames | undefined;
}

/**
 * What a request says of its attempt. What is malformed counts as not said; where several headers
 * speak, the later attempt and the earlier deadline count.
 * @throws TypeError that names the option and the value.
 */
export function readMarks(headers: RequestHeaders, options: ReadMarksOptions = {}): IncomingMarks {
  return read(headers, knownHeaders(resolveSettings(options, readChecks, "options")));
}

/** How the options are checked. */
export const readChecks: {
  readonly presets: typeof expectPresets;
  readonly names: typeof resolveNames;
} = { presets: expectPresets, names: resolveNames };

interface Resolved {
  readonly presets?: readonly Preset[];
  readonly names?: ReturnType<typeof resolveNames>;
}

/** The headers that are read. @throws TypeError if two of them have one name. */
export function knownHeaders({ presets: chosen = [], names }: Resolved): readonly MarkHeader[] {
  const headers = [{ ...ownHeaders, ...names }, ...chosen.map((preset) => presets[preset])];
  return distinct(
    "names",
    headers.flatMap((one) => Object.values(one)),
  );
}

function expectPresets(field: string, value: unknown): readonly Preset[] {
  const isRight = Array.isArray(value) && value.every((name) => presetNames.includes(name));
  if (isRight) return value;
  throw mistake(field, `an array of ${presetNames.join(", ")}`, value);
}

/** @param known as `knownHeaders` gives them */
export function read(headers: RequestHeaders, known: readonly MarkHeader[]): IncomingMarks {
  let marks = nothing;
  for (const { name, read: readText } of known) {
    const text = textUnder(headers, name);
    const said = typeof text === "string" ? readText(text) : undefined;
    if (said !== undefined) marks = stricter(marks, said);
  }
  return marks;
}

const nothing: IncomingMarks = { isRetried: false };

function textUnder(headers: RequestHeaders, name: string): unknown {
  return typeof headers.get === "function"
    ? headers.get(name)
    : (headers as Readonly<Record<string, unknown>>)[name];
}

function stricter(
  marks: IncomingMarks,
  { attempt, isRetried, remaining }: Partial<IncomingMarks>,
): IncomingMarks {
  return {
    attempt: attempt === undefined ? marks.attempt : Math.max(attempt, marks.attempt ?? 1),
    // Who sends a second attempt retries, whether it says so or not.
    isRetried: marks.isRetried || isRetried === true || (attempt ?? 1) > 1,
    remaining:
      remaining === undefined
        ? marks.remaining
        : Math.min(remaining, marks.remaining ?? Number.POSITIVE_INFINITY),
  };
}
