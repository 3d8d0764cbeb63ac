import { AsyncResource } from "node:async_hooks";
import { type Call, type Outcome, refusalCarrier } from "@retry-budget/core";
import { AttemptHandler } from "./attempt-handler.js";
import { CallerController, type Controlled } from "./caller-controller.js";
import { Consumer } from "./consumer.js";
import { abandonedError, abortedError, withCause } from "./errors.js";
import { type Head, headerReader, type Trailers } from "./head.js";
import type { RequestBody } from "./request-body.js";
import type { ConsumerHandler, ProgressHandler } from "./undici-handlers.js";

type Send = (attempt: AttemptHandler) => boolean;

/** One request of the caller's: its attempts, the waits between them, and what the caller is shown. */
export class Exchange implements Controlled {
  readonly #call: Call;
  readonly #send: Send;
  readonly #body: RequestBody;
  readonly #handler: ConsumerHandler;
  readonly #consumer: Consumer;
  readonly #controller: CallerController;
  // undici calls back in the context of whoever opened the socket; hooks belong to this request's.
  readonly #context = new AsyncResource("RETRY_BUDGET");
  #attempt: AttemptHandler | undefined;
  #draining: AttemptHandler | undefined;
  /** While a retry is handed to undici: what it is made for. */
  #cause: Error | undefined;
  #isOver = false;

  constructor(call: Call, send: Send, body: RequestBody, handler: ConsumerHandler) {
    this.#call = call;
    this.#send = send;
    this.#body = body;
    this.#handler = handler;
    this.#controller = new CallerController(this);
    this.#consumer = new Consumer(handler, this.#controller);
  }

  get isWaiting(): boolean {
    return !this.#isOver && this.#attempt?.started !== true;
  }

  begin(): boolean {
    const attempt = new AttemptHandler(this);
    this.#attempt = attempt;
    return this.#send(attempt);
  }

  isLive(attempt: AttemptHandler): boolean {
    return attempt === this.#attempt;
  }

  started(context: unknown): void {
    this.#body.noticeStart();
    // undici copies the context into its results, which are made after the decision.
    this.#consumer.start({ ...(context as object | undefined), [refusalCarrier]: this.#call });
    this.#call.sent();
  }

  response(attempt: AttemptHandler, head: Head): boolean {
    if (!this.isLive(attempt)) return true;
    // RFC 9110 §15.2: an interim response comes before the one to decide on.
    if (head.status >= 200 && this.#isRetried(outcomeOf(head))) {
      this.#draining = attempt;
      this.#retry(attempt, abandonedError(head.status, this.#call));
      return true;
    }
    return this.#isOver || this.#consumer.response(head);
  }

  data(attempt: AttemptHandler, chunk: Buffer): boolean {
    if (this.isLive(attempt)) return this.#consumer.data(chunk);
    attempt.drain(chunk);
    return true;
  }

  ended(attempt: AttemptHandler, trailers: Trailers): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (!this.isLive(attempt)) return;
    // If this throws, undici reports that as the error of the attempt, which is then still live.
    this.#consumer.end(trailers);
    this.#finish();
  }

  failed(attempt: AttemptHandler, error: Error): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (!this.isLive(attempt)) return;
    if (this.#isRetried(this.#outcomeOfError(attempt, error))) this.#retry(attempt, error);
    else if (!this.#isOver) this.#fail(withCause(error, this.#cause));
  }

  forward(attempt: AttemptHandler, event: keyof ProgressHandler, ...values: number[]): void {
    if (!this.isLive(attempt)) return;
    (this.#handler[event] as ((...values: number[]) => void) | undefined)?.(...values);
  }

  abort(reason: Error | undefined): void {
    if (!this.isWaiting) {
      this.#attempt?.abort(reason);
      return;
    }
    // In the wait, or in the queue for a socket: nothing of undici's would answer the caller. The
    // wait ends by this, and an attempt that is not live any more ends itself at its start.
    this.#call.abandon();
    this.#fail(reason || abortedError());
  }

  pause(): void {
    this.#attempt?.pause();
  }

  resume(): void {
    this.#attempt?.resume();
  }

  /** Tells the outcome. If it is to be retried, the attempt is dead from here on. */
  #isRetried(outcome: Outcome): boolean {
    const decision = this.#context.runInAsyncScope(() => this.#call.settle(outcome));
    if (decision?.retry !== true) return false;
    this.#attempt = undefined;
    return true;
  }

  #retry(attempt: AttemptHandler, failure: Error): void {
    // Without a started attempt the caller has no way to abort the wait yet.
    if (!attempt.started) this.#consumer.start({ [refusalCarrier]: this.#call });
    this.#context.runInAsyncScope(() => void this.#reissue(failure));
  }

  /** @param failure what is left if the retry comes to nothing */
  async #reissue(failure: Error): Promise<void> {
    const release = this.#body.hold();
    await this.#call.sleep();
    // Before `onRetry`, which may need the socket.
    this.#draining?.abort();
    const due = await this.#call.prepare();
    release();
    if (this.#isOver) return;
    // Whoever holds a stream may have read or destroyed it meanwhile.
    if (!due || !this.#body.isReplayable()) {
      this.#call.abandon();
      this.#fail(failure);
      return;
    }
    this.#cause = failure;
    try {
      this.begin();
    } catch (error) {
      this.#call.abandon();
      this.#fail(withCause(error as Error, failure));
    }
    this.#cause = undefined;
  }

  #outcomeOfError(attempt: AttemptHandler, error: Error): Outcome {
    if (this.#controller.aborted || attempt.aborted) return { error, aborted: true };
    return { error, sent: sentOf(attempt, error) };
  }

  #fail(error: Error): void {
    this.#finish();
    this.#consumer.error(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#attempt = undefined;
  }
}

function outcomeOf(head: Head): Outcome {
  return { status: head.status, header: headerReader(head) };
}

/** The handler's start decides, and not the code: a code may come from the body or an interceptor. */
function sentOf({ started }: AttemptHandler, error: Error): boolean | undefined {
  if (!started) return false;
  // Only HTTP/2 can say of a request that was written that it was not processed.
  return (error as { code?: unknown }).code === "ERR_HTTP2_STREAM_ERROR" ? undefined : true;
}
