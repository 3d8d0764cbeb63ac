import type { AsyncResource } from "node:async_hooks";
import type { Call, Outcome } from "@retry-budget/core";
import { AttemptHandler } from "./attempt-handler.js";
import { Caller, type Controlled } from "./caller.js";
import { contextOf } from "./context-of.js";
import type { DispatchedRequest } from "./dispatched-request.js";
import { errorOutcome } from "./error-outcome.js";
import { abandonedError, abortedError, withCause } from "./errors.js";
import type { ParsedHeaders } from "./header-forms.js";
import { LegacyHalf } from "./legacy-half.js";
import { ResponseOutcome } from "./response-outcome.js";
import type {
  ConsumerHandler,
  Dispatch,
  DispatchHandler,
  ProgressHandler,
} from "./undici-handlers.js";

/** One request of the caller's: its attempts, the waits between them, and what the caller is shown. */
export class Exchange implements Controlled {
  readonly #call: Call;
  readonly #dispatch: Dispatch;
  readonly #request: DispatchedRequest;
  readonly #caller: Caller;
  /** Hooks run in it, and retries are dispatched in it. */
  readonly #context: AsyncResource;
  #attempt: AttemptHandler | undefined;
  #draining: AttemptHandler | undefined;
  /** While a retry is handed to undici: what it is made for. */
  #cause: Error | undefined;
  /** Where the next attempt goes, if the one before was the proxy's, and not the origin's. */
  #pastProxy: string | URL | undefined;
  #isOver = false;

  constructor(
    call: Call,
    request: DispatchedRequest,
    dispatch: Dispatch,
    handler: ConsumerHandler,
  ) {
    this.#call = call;
    this.#request = request;
    this.#dispatch = dispatch;
    this.#caller = new Caller(handler, this);
    this.#context = contextOf(handler);
  }

  get isWaiting(): boolean {
    return !this.#isOver && this.#attempt?.started !== true;
  }

  begin(): boolean {
    const attempt = new AttemptHandler(this);
    this.#attempt = attempt;
    const handler = this.#request.isLegacyCore ? new LegacyHalf(attempt) : attempt;
    // The types of each major know one of the two handler APIs in full, and the other in part.
    return this.#dispatch(this.#request.read(), handler as unknown as DispatchHandler);
  }

  isLive(attempt: AttemptHandler): boolean {
    return attempt === this.#attempt;
  }

  started(context: unknown): void {
    this.#request.body?.noticeStart();
    if (context !== undefined && context !== null) this.#request.layers.started(context);
    this.#caller.start(context, this.#call);
    this.#call.sent(this.#pastProxy);
  }

  /** The same attempt, by something beneath that repeats what it was given once. */
  startedAgain(): void {
    this.#request.layers.repeated();
  }

  response(
    attempt: AttemptHandler,
    status: number,
    statusText: string | undefined,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): boolean {
    if (attempt !== this.#attempt) return true;
    // RFC 9110 §15.2: an interim response comes before the one to decide on.
    if (status >= 200) {
      const isKept = this.#call.succeed(status) || this.#isKept(attempt, status, raw, parsed);
      if (!isKept) return true;
      this.#request.body?.forget();
    }
    return this.#caller.response(status, statusText, raw, parsed);
  }

  data(attempt: AttemptHandler, chunk: Buffer): boolean {
    if (this.isLive(attempt)) return this.#caller.data(chunk);
    attempt.drain(chunk);
    return true;
  }

  ended(attempt: AttemptHandler, raw: unknown, parsed: ParsedHeaders | undefined): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (!this.isLive(attempt)) return;
    // If this throws, undici reports that as the error of the attempt, which is then still live.
    this.#caller.end(raw, parsed);
    this.#finish();
  }

  failed(attempt: AttemptHandler, error: Error): void {
    if (attempt === this.#draining) this.#draining = undefined;
    if (!this.isLive(attempt)) return;
    if (this.#isRetried(attempt, this.#outcomeOf(attempt, error))) this.#retry(attempt, error);
    else if (!this.#isOver) this.#fail(withCause(error, this.#cause));
  }

  /** Who is told of the progress of this attempt. */
  progressOf(attempt: AttemptHandler): ProgressHandler | undefined {
    return this.isLive(attempt) ? this.#caller.handler : undefined;
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

  /** Whether the caller gets this response: it is not retried, and nobody has aborted meanwhile. */
  #isKept(
    attempt: AttemptHandler,
    status: number,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): boolean {
    if (!this.#isRetried(attempt, new ResponseOutcome(status, raw, parsed))) return !this.#isOver;
    this.#draining = attempt;
    this.#retry(attempt, abandonedError(status, this.#call));
    return false;
  }

  /** Tells the outcome. If it is to be retried, the attempt is dead from here on. */
  #isRetried(attempt: AttemptHandler, outcome: Outcome): boolean {
    this.#request.layers.failed(this.#caller.handler, attempt.controller, outcome.error);
    const decision = this.#context.runInAsyncScope(() => this.#call.settle(outcome));
    if (decision?.retry !== true) return false;
    this.#request.body?.supersede();
    this.#attempt = undefined;
    return true;
  }

  #retry(attempt: AttemptHandler, failure: Error): void {
    // Without a started attempt the caller has no way to abort the wait yet.
    if (!attempt.started) this.#caller.start(undefined, this.#call);
    this.#context.runInAsyncScope(() => void this.#reissue(failure));
  }

  /** @param failure what is left if the retry comes to nothing */
  async #reissue(failure: Error): Promise<void> {
    const letGo = this.#request.body?.hold();
    // Its handlers pass the abort on as a rule, but undici 6's `dump` keeps it to itself.
    const stopListening = this.#request.onAbort((reason) => this.#caller.abort(reason));
    await this.#call.sleep();
    // Before `onRetry`, which may need the socket.
    this.#draining?.abort();
    const due = await this.#call.prepare();
    stopListening();
    letGo?.();
    if (this.#isOver) return;
    if (due && this.#call.body !== undefined) this.#request.renew(this.#call.body);
    // Whoever holds a stream may have read or destroyed it meanwhile.
    if (!due || !this.#request.isReplayable()) {
      this.#call.abandon();
      this.#fail(failure);
      return;
    }
    this.#cause = failure;
    try {
      this.begin();
    } catch (error) {
      this.#call.abandon();
      if (!this.#isOver) this.#fail(withCause(error as Error, failure));
    }
    this.#cause = undefined;
  }

  #outcomeOf(attempt: AttemptHandler, error: Error): Outcome {
    if (this.#caller.aborted || attempt.aborted) return { error, aborted: true };
    const outcome = errorOutcome(attempt, error, this.#request.url);
    if (outcome.url !== undefined) this.#pastProxy = this.#request.url;
    return outcome;
  }

  #fail(error: Error): void {
    this.#finish();
    this.#caller.error(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#attempt = undefined;
    this.#request.body?.release();
  }
}
