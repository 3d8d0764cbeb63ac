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
import { type Retried, Retries } from "./retries.js";
import type {
  ConsumerHandler,
  Dispatch,
  DispatchHandler,
  ProgressHandler,
} from "./undici-handlers.js";

/** One request of the caller's: its attempts, the waits between them, and what the caller is shown. */
export class Exchange implements Controlled, Retried {
  readonly #call: Call;
  readonly #dispatch: Dispatch;
  readonly #request: DispatchedRequest;
  readonly #caller: Caller;
  /** Hooks run in it, and retries are dispatched in it. */
  readonly #context: AsyncResource;
  #attempt: AttemptHandler | undefined;
  #retries: Retries | undefined;
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

  get isOver(): boolean {
    return this.#isOver;
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
    this.#call.sent(this.#retries?.url);
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
    if (this.#retries === undefined) attempt.abort();
    else this.#retries.discard(attempt, chunk);
    return true;
  }

  ended(attempt: AttemptHandler, raw: unknown, parsed: ParsedHeaders | undefined): void {
    this.#retries?.ended(attempt);
    if (!this.isLive(attempt)) return;
    // If this throws, undici reports that as the error of the attempt, which is then still live.
    this.#caller.end(raw, parsed);
    this.#finish();
  }

  failed(attempt: AttemptHandler, error: Error): void {
    this.#retries?.ended(attempt);
    if (!this.isLive(attempt)) return;
    const isAborted = this.#caller.aborted || attempt.aborted;
    const outcome: Outcome = isAborted
      ? { error, aborted: true }
      : errorOutcome(attempt, error, this.#request.url);
    if (this.#isRetried(attempt, outcome)) this.#retry(attempt, error).follow(outcome);
    else if (!this.#isOver) this.fail(withCause(error, this.#retries?.cause));
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
    this.fail(reason || abortedError());
  }

  fail(error: Error): void {
    this.#finish();
    this.#caller.error(error);
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
    this.#retry(attempt, abandonedError(status, this.#call)).drain(attempt);
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

  #retry(attempt: AttemptHandler, failure: Error): Retries {
    // Without a started attempt the caller has no way to abort the wait yet.
    if (!attempt.started) this.#caller.start(undefined, this.#call);
    const retries = this.#retries ?? new Retries(this, this.#call, this.#request);
    this.#retries = retries;
    this.#context.runInAsyncScope(() => void retries.reissue(failure));
    return retries;
  }

  #finish(): void {
    this.#isOver = true;
    this.#attempt = undefined;
    this.#request.body?.release();
  }
}
