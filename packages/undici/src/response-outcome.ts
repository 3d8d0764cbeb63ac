import type { Outcome, ReadHeader } from "@retry-budget/core";
import { type ParsedHeaders, parsedOf } from "./header-forms.js";

/** A response as the policy sees it. Headers are parsed when they are asked for. */
export class ResponseOutcome implements Outcome {
  readonly status: number;
  readonly #raw: unknown;
  #parsed: ParsedHeaders | undefined;

  constructor(status: number, raw: unknown, parsed: ParsedHeaders | undefined) {
    this.status = status;
    this.#raw = raw;
    this.#parsed = parsed;
  }

  /** A function of its own, so that a rule may take it off the outcome. */
  get header(): ReadHeader {
    return (name) => {
      this.#parsed ??= parsedOf(this.#raw);
      return this.#parsed[name];
    };
  }
}
