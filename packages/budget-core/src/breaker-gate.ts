import type { Assessment } from "./assess.js";
import type { Passage } from "./breaker.js";
import { contain } from "./contain.js";
import type { OriginAccount } from "./origin-account.js";
import type { Outcome } from "./outcome.js";
import type { Warn } from "./warnings.js";

/** The passage of one call's attempt through its origin's breaker: it always ends, and once. */
export class BreakerGate {
  readonly #warn: Warn;
  #passage: Passage | undefined;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** @throws the breaker's error, where it lets no attempt pass */
  pass({ breaker }: OriginAccount): void {
    this.leave();
    this.#passage = breaker?.pass();
  }

  settle(kind: Assessment["kind"], outcome: Outcome): void {
    if (kind === "aborted" || outcome.tried === false) this.leave();
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
}
