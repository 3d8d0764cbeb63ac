import type { Outcome, ReadHeader } from "@retry-budget/core";
import { type ParsedHeaders, parsedOf } from "./header-forms.js";

/** The head of a response in whichever form undici gave it; the other form is made when needed. */
export class Head implements Outcome {
  readonly status: number;
  readonly statusText: string | undefined;
  readonly #raw: unknown;
  #parsed: ParsedHeaders | undefined;

  constructor(
    status: number,
    statusText: string | undefined,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ) {
    this.status = status;
    this.statusText = statusText;
    this.#raw = raw;
    this.#parsed = parsed;
  }

  /** As undici gave it: a list, a list with nested values (7), for HTTP/2 also an object (8). */
  get raw(): unknown {
    return this.#raw;
  }

  get parsed(): ParsedHeaders {
    this.#parsed ??= parsedOf(this.#raw);
    return this.#parsed;
  }

  /** A function of its own, so that a rule may take it off the outcome. */
  get header(): ReadHeader {
    return (name) => this.parsed[name];
  }
}
