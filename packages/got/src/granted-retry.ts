import type { Call } from "@retry-budget/core";

export interface Ending {
  once(event: "close", listener: () => void): unknown;
}

/** A retry that was granted and has not gone out: what ends the request first gives its token back. */
export class GrantedRetry {
  /** At the decision; a stream that is still the same is consumed. */
  readonly body: unknown;
  readonly #call: Call;
  readonly #signal: AbortSignal | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(call: Call, body: unknown, request?: Ending, signal?: AbortSignal) {
    this.#call = call;
    this.body = body;
    this.#signal = signal;
    request?.once("close", () => {
      // The failed attempt is closed, too, where the retry is under way.
      if (!this.#hasBegun) this.abandon();
    });
    signal?.addEventListener("abort", this.abandon);
  }

  get isWaiting(): boolean {
    return !(this.#hasBegun || this.#isOver);
  }

  /** Whether got makes it, and nothing of it is known to be sent: hooks of the user's come first. */
  get isUnderWay(): boolean {
    return this.#hasBegun && !this.#isOver;
  }

  begin(): void {
    this.#hasBegun = true;
  }

  /** It is sent, or decided upon anew. */
  end(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.abandon);
  }

  readonly abandon = (): void => {
    if (this.#isOver) return;
    this.end();
    this.#call.abandon();
  };
}
