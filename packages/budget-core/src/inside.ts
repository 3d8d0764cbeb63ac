import type { CallFacts } from "./call.js";
import { type Deadline, noDeadline } from "./deadline.js";
import type { PolicySettings } from "./options.js";
import type { OuterCall } from "./outer-call.js";
import { mostAttempts, type Terms } from "./terms.js";

/** What is counted of a call while it is under way. */
interface Counted {
  readonly attempts: number;
}

/**
 * One call, as what runs inside it sees it. An object of its own, which lets go of the call at its
 * end: a socket that is kept alive keeps what it was opened inside of.
 */
export class Inside implements OuterCall {
  readonly isRetried: boolean;
  readonly outer: OuterCall | undefined;
  readonly #deadline: Deadline;
  #call: Counted | undefined;

  constructor(call: Counted, isRetried: boolean, deadline: Deadline, outer: OuterCall | undefined) {
    this.#call = call;
    this.isRetried = isRetried || outer?.isRetried === true;
    this.#deadline = deadline;
    this.outer = outer;
  }

  get attempt(): number {
    return Math.max(this.outer?.attempt ?? 1, this.#call?.attempts ?? 1);
  }

  get isOver(): boolean {
    return this.#call === undefined;
  }

  remaining(): number {
    return this.#deadline.remaining();
  }

  /** A caller may go on with a request that has ended well. */
  open(call: Counted): void {
    this.#call = call;
  }

  close(): void {
    this.#call = undefined;
  }
}

/** Nothing, where there is nothing that calls inside would have to know. */
export function insideOf(
  call: Counted,
  { oneLayer }: PolicySettings,
  facts: CallFacts,
  terms: Terms,
): Inside | undefined {
  const { deadline, standsDown, outer } = terms;
  if (deadline === noDeadline && (standsDown || !oneLayer)) return undefined;
  // Its method is not asked: what could not connect may be sent again whatever that is.
  const isRetried = oneLayer && mostAttempts(facts, terms) > 1;
  if (deadline === noDeadline && !isRetried) return undefined;
  return new Inside(call, isRetried, deadline, outer);
}
