import type { Outcome } from "./outcome.js";

/**
 * A circuit breaker, of whichever library: it is asked before every attempt and told every outcome.
 * It must be synchronous.
 */
export interface Breaker {
  /** Whether it lets nothing pass for now; asked at the decision, and takes no probe. */
  readonly isOpen: boolean;
  /**
   * Lets one attempt pass.
   * @throws its own error where it lets none pass: the attempt is not sent
   */
  pass(): Passage;
}

/** One attempt that a breaker let pass. One of these is called, once. */
export interface Passage {
  /** The server has answered, and not with a failure that another attempt may clear. */
  succeed(): void;
  /** It failed in a way that another attempt may clear. */
  fail(outcome: Outcome): void;
  /**
   * Nothing is known of the server: the attempt was not sent, its caller ended it, or it failed in a
   * way that is not the server's.
   */
  abandon(): void;
}

/**
 * Where breakers come from; asked once for each origin that a budget is held for. A redirect to
 * another origin is an answer of the one, and an attempt at the other, which its breaker cannot stop.
 */
export interface Breakers {
  of(origin: string): Breaker | undefined;
}
