import { type Assessment, isTried } from "./assess.js";
import type { Breaker, Passage } from "./breaker.js";
import type { Denial } from "./call.js";
import { contain } from "./contain.js";
import type { Outcome } from "./outcome.js";
import { type Warn, warnOfAnswer } from "./warnings.js";

/** The passages of one call's attempts through the breakers of their origins: each ends, and once. */
export class BreakerGate {
  readonly #warn: Warn;
  #passage: Passage | undefined;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** A denial where the breaker lets no attempt pass. */
  pass(breaker: Breaker): Denial | undefined {
    this.leave();
    try {
      const passage: unknown = breaker.pass();
      if (isPassage(passage)) this.#passage = passage;
      else this.#warnOf(passage);
      return undefined;
    } catch (error) {
      return { refusal: "breaker", error };
    }
  }

  /** @param isLate whether the deadline has ended it: the server was too slow, if only to connect */
  settle(kind: Assessment["kind"], outcome: Outcome, isLate = false): void {
    // A failure of another kind than the server's says nothing of the server: a URL that is none.
    if (!isLate && (kind === "aborted" || !isTried(kind, outcome))) this.leave();
    else if (kind === "transient") this.#end((passage) => passage.fail(outcome));
    else this.#end((passage) => passage.succeed());
  }

  /** The attempt is not sent, or comes to nothing that says anything of the server. */
  leave(): void {
    this.#end((passage) => passage.abandon());
  }

  #end(tell: (passage: Passage) => void): void {
    const passage = this.#passage;
    if (passage === undefined) return;
    this.#passage = undefined;
    contain(this.#warn, "breakers", () => tell(passage));
  }

  #warnOf(given: unknown): void {
    warnOfAnswer(this.#warn, "breakers.pass", given);
    // A promise that nobody waits for must not end the process.
    contain(this.#warn, "breakers", () => given);
  }
}

function isPassage(given: unknown): given is Passage {
  const { succeed, fail, abandon } = Object(given) as Partial<Passage>;
  return [succeed, fail, abandon].every((tell) => typeof tell === "function");
}
