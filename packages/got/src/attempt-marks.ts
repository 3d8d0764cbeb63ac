import type { Call } from "@retry-budget/core";
import type { CurrentOptions } from "./got-facts.js";

type Headers = CurrentOptions["headers"];

/** The marks in the headers of the attempt that is made, and what they took the place of. */
export class AttemptMarks {
  readonly #call: Call;
  #marks: Readonly<Record<string, string>> | undefined;
  #replaced: Headers = {};

  constructor(call: Call) {
    this.#call = call;
  }

  /** Those for where this goes, and no others: a redirect brings along what was there before. */
  put({ url, headers }: CurrentOptions): void {
    this.takeOff(headers);
    const marks = url === undefined ? undefined : this.#call.marks(url);
    if (marks === undefined) return;
    this.#marks = marks;
    for (const [name, value] of Object.entries(headers)) {
      // Hooks write names as they like.
      if (!Object.hasOwn(marks, name.toLowerCase())) continue;
      this.#replaced[name] = value;
      delete headers[name];
    }
    Object.assign(headers, marks);
  }

  /** As they were: others see the headers, and make the next request of them. */
  takeOff(headers: Headers): void {
    if (this.#marks === undefined) return;
    for (const [name, value] of Object.entries(this.#marks)) {
      if (headers[name] === value) delete headers[name];
    }
    Object.assign(headers, this.#replaced);
    this.#marks = undefined;
    this.#replaced = {};
  }
}
