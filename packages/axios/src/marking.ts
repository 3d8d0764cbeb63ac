import type { Call } from "@retry-budget/core";

type Marks = ReturnType<Call["marks"]>;
type Fields = Record<string, unknown>;

/** The marks of one attempt, which stand in the place of what its caller has set. */
export class Marking {
  readonly #callers = new Map<string, unknown>();

  put(headers: object, marks: Marks): void {
    const fields = headers as Fields;
    for (const [name, value] of Object.entries(marks ?? {})) {
      const field = fieldOf(fields, name) ?? name;
      if (!this.#callers.has(name)) this.#callers.set(name, fields[field]);
      fields[field] = value;
    }
  }

  /** The headers of a redirected request, which node:http gets as they are. */
  move(headers: object, marks: Marks): void {
    // `false` and `null` are how axios unsets a header.
    this.#restore(headers, (value) => Boolean(value));
    this.put(headers, marks);
  }

  /** Once: what is there afterwards is the caller's. */
  takeOff(headers: object): void {
    this.#restore(headers, (value) => value !== undefined);
    this.#callers.clear();
  }

  #restore(headers: object, isKept: (value: unknown) => boolean): void {
    const fields = headers as Fields;
    for (const [name, value] of this.#callers) {
      const field = fieldOf(fields, name);
      // What was confidential is gone with the redirect.
      if (field === undefined) continue;
      if (isKept(value)) fields[field] = value;
      else Reflect.deleteProperty(fields, field);
    }
  }
}

function fieldOf(fields: Fields, name: string): string | undefined {
  return Object.keys(fields).find((field) => field.toLowerCase() === name);
}
