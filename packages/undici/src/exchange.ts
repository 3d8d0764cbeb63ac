import type { AsyncResource } from "node:async_hooks";
import type { Call, Denial, Outcome } from "@retry-budget/core";
import { asError } from "./as-error.js";
import type { Attempt } from "./attempt.js";
import { AttemptHandler } from "./attempt-handler.js";
import { type Consumer, consumerOf } from "./consumer.js";
import { contextOf } from "./context-of.js";
import type { DispatchedRequest } from "./dispatched-request.js";
import { errorOutcome } from "./error-outcome.js";
import { abandonedError, abortedError, withCause } from "./errors.js";
import type { ParsedHeaders } from "./header-forms.js";
import { LegacyAttempt } from "./legacy-attempt.js";
import { ResponseOutcome } from "./response-outcome.js";
import { type Retried, Retries } from "./retries.js";
import { shownContext } from "./shown-context.js";
import { bodyTimeoutError, headersTimeoutError } from "./timeout-errors.js";
import type { ConsumerHandler, ModernController, ProgressHandler } from "./undici-handlers.js";

type Abort = (reason?: Error) => void;

/** Of an attempt that no server can know of. */
const unsent = { sent: false, tried: false } as const;

/**
 * One request of the caller's, and the one controller that it holds, whatever attempt is behind it.
 * One object for both, since there is one for every request.
 */
export class Exchange implements ModernController, Retried {
  rawHeaders: unknown = null;
  rawTrailers: unknown = null;
  readonly #call: Call;
  readonly #request: DispatchedRequest;
  readonly #handler: ConsumerHandler;
  readonly #consumer: Consumer;
  /** Hooks run in it, and retries are dispatched in it. */
  readonly #context: AsyncResource;
  #attempt: Attempt | undefined;
  #retries: Retries | undefined;
  #replacement: Abort | undefined;
  #stopDeadline: (() => void) | undefined;
  /** Null: aborted, for no reason. */
  #reason: Error | null | undefined;
  #isPaused = false;
  #isStarted = false;
  /** Whether the caller has been given a response. */
  #isAnswered = false;
  #isOver = false;

  constructor(call: Call, request: DispatchedRequest, handler: ConsumerHandler) {
    this.#call = call;
    this.#request = request;
    this.#handler = handler;
    this.#consumer = consumerOf(handler);
    this.#context = contextOf(handler);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  get reason(): Error | null {
    return this.#reason ?? null;
  }

  get abort(): Abort {
    return (reason) => {
      this.#replacement?.(reason);
      // A replacement acts on a response that comes; in a wait none would.
      if (this.#replacement === undefined || this.#isWaiting) this.#abort(reason);
    };
  }

  // undici's `dump` interceptor puts its own in place of this.
  set abort(replacement: Abort) {
    this.#replacement = replacement;
  }

  pause(): void {
    this.#isPaused = true;
    this.#attempt?.pause();
  }

  // Not only when paused: a legacy caller pauses by returning false, and resumes through here.
  resume(): void {
    this.#isPaused = false;
    this.#attempt?.resume();
  }

  /** Sends the first attempt, if it may be sent. */
  begin(): boolean {
    const denial = this.#call.begin();
    if (denial !== undefined) return this.#deny(denial);
    try {
      return this.send();
    } catch (error) {
      this.#stopDeadline?.();
      this.#call.settle({ error, ...unsent });
      throw error;
    }
  }

  send(): boolean {
    const { isLegacy } = this.#request.core;
    const attempt = isLegacy ? new LegacyAttempt(this) : new AttemptHandler(this);
    this.#attempt = attempt;
    if (this.#call.hasDeadline) {
      this.#stopDeadline = this.#call.onDeadline((time) => this.#expire(attempt, time));
    }
    return this.#request.send(attempt, this.#call);
  }

  isLive(attempt: Attempt): boolean {
    return attempt === this.#attempt;
  }

  started(attempt: Attempt, context: unknown): void {
    // The caller has aborted it in the queue; or, with pipelining, undici starts it anew.
    if (!this.isLive(attempt)) {
      attempt.abort();
      return;
    }
    this.#request.core.started(attempt.controller);
    this.#request.body?.noticeStart();
    if (context !== undefined && context !== null) this.#request.layers.started(context);
    this.#start(context);
    this.#call.sent(this.#retries?.url);
  }

  /** The same attempt, by something beneath that repeats what it was given once. */
  startedAgain(): void {
    this.#request.layers.repeated();
  }

  response(
    attempt: Attempt,
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
      this.#isAnswered = true;
    }
    return this.#consumer.response(this.#handler, this, status, statusText, raw, parsed);
  }

  data(attempt: Attempt, chunk: Buffer): boolean {
    if (this.isLive(attempt)) {
      // A body emits in whatever context it is fed in.
      return this.#context.runInAsyncScope(
        this.#consumer.data,
        undefined,
        this.#handler,
        this,
        chunk,
      );
    }
    this.#retries?.discard(attempt, chunk);
    return true;
  }

  ended(attempt: Attempt, raw: unknown, parsed: ParsedHeaders | undefined): void {
    this.#retries?.ended(attempt);
    if (!this.isLive(attempt)) return;
    // If this throws, undici reports that as the error of the attempt, which is then still live.
    this.#context.runInAsyncScope(this.#consumer.end, undefined, this.#handler, this, raw, parsed);
    this.#finish();
  }

  failed(attempt: Attempt, error: Error): void {
    this.#retries?.ended(attempt);
    if (!this.isLive(attempt)) return;
    const isAborted = this.aborted || attempt.aborted;
    const outcome: Outcome = isAborted
      ? { error, aborted: true }
      : errorOutcome(attempt, error, this.#request.url);
    if (this.#isRetried(attempt, outcome)) this.#retry(attempt, error).follow(outcome);
    else if (!this.#isOver) this.fail(withCause(error, this.#retries?.cause));
  }

  /** Who is told of the progress of this attempt. */
  progressOf(attempt: Attempt): ProgressHandler | undefined {
    return this.isLive(attempt) ? this.#handler : undefined;
  }

  fail(error: Error): void {
    this.#finish();
    this.#context.runInAsyncScope(this.#consumer.error, undefined, this.#handler, this, error);
  }

  /** Whether no attempt is under way that could answer an abort. */
  get #isWaiting(): boolean {
    return !this.#isOver && this.#attempt?.started !== true;
  }

  /** Once for all attempts: the caller keeps one way to abort. */
  #start(context: unknown): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#consumer.start(this.#handler, this, shownContext(context, this.#call));
  }

  #abort(reason: Error | undefined): void {
    if (this.aborted) return;
    this.#reason = reason ?? null;
    if (!this.#isWaiting) {
      this.#attempt?.abort(reason);
      return;
    }
    // In the wait, or in the queue for a socket: nothing of undici's would answer the caller. The
    // wait ends by this, and an attempt that is not live any more ends itself at its start.
    const error = reason || abortedError();
    this.#call.settle({ error, ...unsent, aborted: true });
    this.fail(error);
  }

  /** As undici reports what it cannot send: at once. True, since nothing is busy. */
  #deny(denial: Denial): boolean {
    const isLate = denial.refusal === "deadline";
    const error = isLate ? headersTimeoutError(denial.time) : asError(denial.error);
    this.#call.settle({ error, ...unsent });
    this.fail(error);
    return true;
  }

  /** The deadline has come while this attempt is under way, or waits for a socket. */
  #expire(attempt: Attempt, time: number): void {
    const error = this.#isAnswered ? bodyTimeoutError(time) : headersTimeoutError(time);
    const outcome = attempt.started ? { error, sent: true } : { error, ...unsent };
    this.#context.runInAsyncScope(() => this.#call.settle(outcome));
    // What comes of the abort is no second report.
    this.#attempt = undefined;
    attempt.abort(error);
    this.fail(error);
  }

  /** Whether the caller gets this response: it is not retried, and nobody has aborted meanwhile. */
  #isKept(
    attempt: Attempt,
    status: number,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): boolean {
    if (!this.#isRetried(attempt, new ResponseOutcome(status, raw, parsed))) return !this.#isOver;
    this.#retry(attempt, abandonedError(status, this.#call)).drain(attempt);
    return false;
  }

  /** Tells the outcome. If it is to be retried, the attempt is dead from here on. */
  #isRetried(attempt: Attempt, outcome: Outcome): boolean {
    this.#request.layers.failed(this.#handler, attempt.controller, outcome.error);
    const decision = this.#context.runInAsyncScope(() => this.#call.settle(outcome));
    if (decision?.retry !== true) return false;
    this.#stopDeadline?.();
    this.#request.body?.supersede();
    this.#attempt = undefined;
    return true;
  }

  #retry(attempt: Attempt, failure: Error): Retries {
    // Without a started attempt the caller has no way to abort the wait yet.
    if (!attempt.started) this.#start(undefined);
    const retries = this.#retries ?? new Retries(this, this.#call, this.#request);
    this.#retries = retries;
    this.#context.runInAsyncScope(() => void retries.reissue(failure));
    return retries;
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopDeadline?.();
    this.#attempt = undefined;
    this.#request.body?.release();
  }
}
