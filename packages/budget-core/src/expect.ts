/** Names a value in an error message without spilling whole objects into logs. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return `the function ${value.name || "(anonymous)"}`;
  // One level deep: an array may hold itself.
  if (Array.isArray(value)) {
    return `[${value.map((member) => (Array.isArray(member) ? "an array" : show(member))).join(", ")}]`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (!isPlain(value)) return `an instance of ${value.constructor?.name ?? "another class"}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? "an object" : `an object with ${keys.join(", ")}`;
}

export function mistake(field: string, expected: string, value: unknown): TypeError {
  return new TypeError(`Expected \`${field}\` to be ${expected}, got ${show(value)}.`);
}

export function expectNumber(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw mistake(field, `a number from ${least} to ${most}`, value);
}

export function expectInteger(field: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
    return Number(value);
  }
  throw mistake(field, `a whole number from ${least} to ${most}`, value);
}

export function expectBoolean(field: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw mistake(field, "true or false", value);
}

export function expectFunction(field: string, value: unknown): unknown {
  if (typeof value === "function") return value;
  throw mistake(field, "a function", value);
}

export function expectObject(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw mistake(field, "an object", value);
}

/** Options are plain: a promise, a policy or a budget in their place would silently mean defaults. */
export function expectPlainObject(
  field: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const object = expectObject(field, value);
  if (isPlain(object)) return object;
  throw mistake(field, "a plain object", value);
}

// Not by identity: an object of another realm is plain as well.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A misspelt option would otherwise silently mean the default. */
export function expectKnownKeys(of: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const got = show((value as Record<string, unknown>)[key]);
    throw new TypeError(
      `Unknown option \`${key}\` (${got}) in ${of}. Known options: ${known.join(", ")}.`,
    );
  }
}

/** What is explicitly `undefined` counts as not given, so that it cannot erase a default. */
export function definedOf(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
