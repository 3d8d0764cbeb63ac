import type { CallFacts } from "./call.js";
import { type Deadline, noDeadline } from "./deadline.js";
import type { PolicySettings } from "./options.js";
import type { OuterCall } from "./outer-call.js";
import { mayRetry, type Terms } from "./terms.js";

/** What is counted of a call while it is under way. */
interface Counted {
  readonly attempts: number;
}

/**
 * Ms after its deadline for which a call is around what it has left behind: nobody waits for that,
 * so it sends nothing more. Not for ever, since it may have started something that outlives it.
 */
const leftoverTime = 60_000;

/**
 * One call, as what runs inside it sees it. An object of its own, which lets go of the call at its
 * end: a socket that is kept alive keeps what it was opened inside of.
 */
export class Inside implements OuterCall {
  readonly isRetried: boolean;
  readonly outer: OuterCall | undefined;
  readonly #deadline: Deadline;
  #call: Counted | undefined;
  #isLate = false;

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
    const isClosed = this.#call === undefined;
    return isClosed && !(this.#isLate && this.remaining() > -leftoverTime);
  }

  remaining(): number {
    return this.#deadline.remaining();
  }

  /** A caller may go on with a request that has ended well. */
  open(call: Counted): void {
    this.#call = call;
  }

  /** @param isLate whether the deadline has ended it, and what it has begun may go on unseen */
  close(isLate: boolean): void {
    this.#call = undefined;
    this.#isLate = isLate;
  }
}

/** Nothing, where there is nothing that calls inside would have to know. */
export function insideOf(
  call: Counted,
  settings: PolicySettings,
  facts: CallFacts,
  terms: Terms,
): Inside | undefined {
  const { deadline, standsDown, outer } = terms;
  const hasDeadline = deadline !== noDeadline;
  if (!hasDeadline && (standsDown || !settings.oneLayer)) return undefined;
  const isRetried = settings.oneLayer && mayRetry(facts, terms, settings);
  return isRetried || hasDeadline ? new Inside(call, isRetried, deadline, outer) : undefined;
}
