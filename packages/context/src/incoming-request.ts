import { type OuterCall, outerCall, runInside } from "@retry-budget/core";
import type { IncomingMarks } from "./mark-header.js";

// Connections that were opened inside may outlive it, and would keep what is told to them.
const longestAfterLeaving = 60_000;

/** A request that a server handles, as what its handler calls sees it. */
export class IncomingRequest implements OuterCall {
  readonly isRetried: boolean;
  readonly attempt: number;
  readonly outer: OuterCall | undefined = outerCall();
  readonly #now: () => number;
  readonly #deadline: number;
  #end = Number.POSITIVE_INFINITY;

  /** @param now monotonic ms */
  constructor({ attempt = 1, isRetried, remaining }: IncomingMarks, now: () => number) {
    this.isRetried = isRetried || this.outer?.isRetried === true;
    this.attempt = Math.max(attempt, this.outer?.attempt ?? 1);
    this.#now = now;
    this.#deadline = remaining === undefined ? Number.POSITIVE_INFINITY : now() + remaining;
  }

  get isOver(): boolean {
    return this.#end !== Number.POSITIVE_INFINITY && this.#now() >= this.#end;
  }

  remaining(): number {
    const outer = this.outer?.remaining() ?? Number.POSITIVE_INFINITY;
    return this.#deadline === Number.POSITIVE_INFINITY
      ? outer
      : Math.min(this.#deadline - this.#now(), outer);
  }

  /** Does the work of its handler. */
  run<Result>(work: () => Result): Result {
    return runInside(this, work);
  }

  /** It was answered: what goes on is on its own. */
  close(): void {
    this.#end = Number.NEGATIVE_INFINITY;
  }

  /** The caller has gone before it was answered. What goes on is still for that caller, for a while. */
  leave(): void {
    this.#end = Math.min(this.#end, this.#now() + longestAfterLeaving);
  }
}
