import type { Call, Outcome } from "@retry-budget/core";
import type { Attempt } from "./attempt.js";
import type { DispatchedRequest } from "./dispatched-request.js";
import { givenUpError, withCause } from "./errors.js";

/** Most bytes read of a failed response to keep its socket; after that the socket is given up. */
const mostDrained = 128 * 1024;

/** Whose attempts these are. */
export interface Retried {
  /** Whether the caller has been answered. */
  readonly isOver: boolean;
  /** Dispatches one more attempt. */
  send(): void;
  /** By the caller. */
  abort(reason: Error | undefined): void;
  fail(error: Error): void;
}

/** What is there between an attempt that has failed and the next one. Most requests have none. */
export class Retries {
  readonly #retried: Retried;
  readonly #call: Call;
  readonly #request: DispatchedRequest;
  #draining: Attempt | undefined;
  #drained = 0;
  #cause: Error | undefined;
  #url: string | URL | undefined;

  constructor(retried: Retried, call: Call, request: DispatchedRequest) {
    this.#retried = retried;
    this.#call = call;
    this.#request = request;
  }

  /** While a retry is handed to undici: what it is made for. */
  get cause(): Error | undefined {
    return this.#cause;
  }

  /** Where the next attempt goes, if the one before was the proxy's, and not the origin's. */
  get url(): string | URL | undefined {
    return this.#url;
  }

  /** A proxy that could not be reached is an origin of its own for the attempt that met it. */
  follow({ url }: Outcome): void {
    if (url !== undefined) this.#url = this.#request.url;
  }

  /** Nobody reads the response of this attempt any more. */
  drain(attempt: Attempt): void {
    this.#draining = attempt;
    this.#drained = 0;
  }

  /** The caller is not shown what comes of a dead attempt. */
  discard(attempt: Attempt, chunk: Buffer): void {
    this.#drained += chunk.length;
    if (this.#drained > mostDrained) attempt.abort();
  }

  ended(attempt: Attempt): void {
    if (attempt === this.#draining) this.#draining = undefined;
  }

  /** @param failure what is left if the retry comes to nothing */
  async reissue(failure: Error): Promise<void> {
    const retried = this.#retried;
    const letGo = this.#request.body?.hold();
    // Its handlers pass the abort on as a rule, but undici 6's `dump` keeps it to itself.
    const stopListening = this.#request.onAbort((reason) => retried.abort(reason));
    await this.#call.sleep();
    // Before `onRetry`, which may need the socket.
    this.#draining?.abort();
    const due = await this.#call.prepare();
    stopListening();
    letGo?.();
    if (retried.isOver) return;
    if (due && this.#call.body !== undefined) this.#request.renew(this.#call.body);
    // Whoever holds a stream may have read or destroyed it meanwhile.
    if (due && this.#request.isReplayable()) this.#begin(failure);
    else this.#fail(givenUpError(failure, this.#call));
  }

  #begin(failure: Error): void {
    this.#cause = failure;
    try {
      this.#retried.send();
    } catch (error) {
      this.#fail(withCause(error as Error, failure));
    }
    this.#cause = undefined;
  }

  #fail(error: Error): void {
    this.#call.abandon();
    if (!this.#retried.isOver) this.#retried.fail(error);
  }
}
