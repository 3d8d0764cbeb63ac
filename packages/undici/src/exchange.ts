import { type Call, type Outcome, refusalCarrier } from "@retry-budget/core";
import { AttemptHandler } from "./attempt-handler.js";
import { CallerController, type Controlled } from "./caller-controller.js";
import { Consumer } from "./consumer.js";
import { abandonedError, abortedError, withCause } from "./errors.js";
import { type Head, headerReader, type Trailers } from "./head.js";
import type { ConsumerHandler, ProgressHandler } from "./undici-handlers.js";

/** Most bytes read of a failed response to keep its socket; after that the socket is given up. */
const mostDrained = 128 * 1024;

type Send = (attempt: AttemptHandler) => boolean;

/** One request of the caller's: its attempts, the waits between them, and what the caller is shown. */
export class Exchange implements Controlled {
  readonly #call: Call;
  readonly #send: Send;
  readonly #handler: ConsumerHandler;
  readonly #consumer: Consumer;
  readonly #controller: CallerController;
  #attempt: AttemptHandler | undefined;
  #draining: AttemptHandler | undefined;
  #drained = 0;
  #failure: Error | undefined;
  #delivering = false;
  #over = false;

  constructor(call: Call, send: Send, handler: ConsumerHandler) {
    this.#call = call;
    this.#send = send;
    this.#handler = handler;
    this.#controller = new CallerController(this);
    this.#consumer = new Consumer(handler, this.#controller);
  }

  begin(): boolean {
    this.#attempt = new AttemptHandler(this);
    return this.#send(this.#attempt);
  }

  started(attempt: AttemptHandler, context: unknown): void {
    if (attempt !== this.#attempt) return;
    // undici copies the context into its results, which are made after the decision.
    this.#consumer.start({ ...(context as object | undefined), [refusalCarrier]: this.#call });
    // A caller whose signal has fired aborts in that very moment: then nothing is sent.
    if (!this.#controller.aborted) this.#call.sent();
  }

  response(attempt: AttemptHandler, head: Head): boolean {
    if (attempt !== this.#attempt) return true;
    // RFC 9110 §15.2: an interim response comes before the one to decide on.
    if (head.status >= 200 && !this.#delivering && this.#wantsRetry(attempt, outcomeOf(head))) {
      this.#failure = abandonedError(head.status);
      this.#draining = attempt;
      this.#drained = 0;
      return true;
    }
    return this.#consumer.response(head);
  }

  data(attempt: AttemptHandler, chunk: Buffer): boolean {
    if (attempt === this.#draining) this.#drain(chunk);
    return attempt === this.#attempt ? this.#consumer.data(chunk) : true;
  }

  ended(attempt: AttemptHandler, trailers: Trailers): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (attempt === this.#attempt) this.#finish(() => this.#consumer.end(trailers));
  }

  failed(attempt: AttemptHandler, error: Error): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (attempt !== this.#attempt) return;
    if (!this.#delivering && this.#wantsRetry(attempt, this.#outcomeOfError(attempt, error))) {
      this.#failure = error;
      return;
    }
    this.#finish(() =>
      this.#consumer.error(attempt.started ? error : withCause(error, this.#failure)),
    );
  }

  forward(attempt: AttemptHandler, event: keyof ProgressHandler, ...values: number[]): void {
    if (attempt !== this.#attempt) return;
    (this.#handler[event] as ((...values: number[]) => void) | undefined)?.(...values);
  }

  abort(reason: Error | undefined): void {
    if (this.#over) return;
    if (this.#attempt?.started === true) {
      this.#attempt.abort(reason);
      return;
    }
    // In the wait, or in the queue for a socket: nothing of undici's would answer the caller.
    this.#call.abandon();
    this.#attempt?.abort(reason);
    this.#draining?.abort();
    this.#finish(() => this.#consumer.error(reason ?? abortedError()));
  }

  pause(): void {
    this.#attempt?.pause();
  }

  resume(): void {
    this.#attempt?.resume();
  }

  /** Tells the outcome. If it is to be retried, the attempt is dead from here on. */
  #wantsRetry(attempt: AttemptHandler, outcome: Outcome): boolean {
    if (!this.#call.settle(outcome).retry) {
      this.#delivering = true;
      return false;
    }
    this.#attempt = undefined;
    // Without a started attempt the caller has no way to abort the wait yet.
    if (!attempt.started) this.#consumer.start({ [refusalCarrier]: this.#call });
    void this.#reissue();
    return true;
  }

  async #reissue(): Promise<void> {
    const due = await this.#call.pause();
    this.#draining?.abort();
    if (this.#over) return;
    const failure = this.#failure ?? abortedError();
    if (!due) return this.#finish(() => this.#consumer.error(failure));
    try {
      this.begin();
    } catch (error) {
      this.#call.abandon();
      this.#finish(() => this.#consumer.error(withCause(error as Error, failure)));
    }
  }

  #outcomeOfError(attempt: AttemptHandler, error: Error): Outcome {
    const aborted = this.#controller.aborted || attempt.aborted;
    return attempt.started ? { error, aborted } : { error, aborted, sent: false };
  }

  #drain(chunk: Buffer): void {
    this.#drained += chunk.length;
    if (this.#drained > mostDrained) this.#draining?.abort();
  }

  #finish(tell: () => void): void {
    this.#over = true;
    this.#attempt = undefined;
    tell();
  }
}

function outcomeOf(head: Head): Outcome {
  return { status: head.status, header: headerReader(head) };
}
