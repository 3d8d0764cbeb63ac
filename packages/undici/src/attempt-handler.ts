import type { Exchange } from "./exchange.js";
import type { ParsedHeaders } from "./header-forms.js";
import type { LegacyHandler, ModernController, ModernHandler } from "./undici-handlers.js";

// A registered symbol on the prototype, so that another copy of this package knows it, too.
const mark: unique symbol = Symbol.for("retry-budget.undici-attempt.v1");

/** Whether a retry budget further out has this request: the first to act keeps it. */
export function isAttempt(handler: object): boolean {
  return (handler as { readonly [mark]?: true })[mark] === true;
}

export function markAttempt(prototype: object): void {
  Object.defineProperty(prototype, mark, { value: true });
}

/**
 * One attempt as undici sees it. It speaks both handler APIs, so that undici 6 (legacy), 7 (either)
 * and 8 (modern) and every built-in fetch can drive it; late events of a dead attempt end here.
 */
export class AttemptHandler implements LegacyHandler, ModernHandler {
  readonly #exchange: Exchange;
  #abort: ((reason?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #controller: ModernController | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Whether the request was about to be written: before that, nothing can have reached the server. */
  get started(): boolean {
    return this.#abort !== undefined || this.#controller !== undefined;
  }

  get controller(): object | undefined {
    return this.#controller;
  }

  /** Whether someone beneath us was told to abort, as undici 8 does for a request in its queue. */
  get aborted(): boolean {
    return this.#controller?.aborted === true;
  }

  abort(reason?: Error): void {
    if (this.#controller === undefined) this.#abort?.(reason);
    else this.#controller.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (this.#controller === undefined) this.#resume?.();
    else this.#controller.resume();
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    // A redirect, which tells its hops in the context, starts one for each of them.
    if (this.#abort !== undefined && !context) this.#exchange.startedAgain();
    this.#abort = abort;
    this.#start(context);
  }

  onHeaders(
    status: number,
    rawHeaders: Buffer[] | null,
    resume: () => void,
    statusText: string,
  ): boolean {
    this.#resume = resume;
    return this.#exchange.response(this, status, statusText, rawHeaders ?? [], undefined);
  }

  onData(chunk: Buffer): boolean {
    return this.#exchange.data(this, chunk);
  }

  onComplete(rawTrailers: Buffer[] | null): void {
    this.#exchange.ended(this, rawTrailers ?? [], undefined);
  }

  onError(error: Error): void {
    this.#exchange.failed(this, error);
  }

  onRequestStart(controller: ModernController, context?: unknown): void {
    this.#controller = controller;
    this.#start(context);
  }

  onResponseStart(
    controller: ModernController,
    status: number,
    headers: ParsedHeaders,
    statusText?: string,
  ): void {
    const { rawHeaders } = controller;
    const wantsMore = this.#exchange.response(this, status, statusText, rawHeaders, headers);
    if (!wantsMore) controller.pause();
  }

  onResponseData(controller: ModernController, chunk: Buffer): void {
    if (!this.#exchange.data(this, chunk)) controller.pause();
  }

  onResponseEnd(controller: ModernController, trailers: ParsedHeaders): void {
    this.#exchange.ended(this, controller.rawTrailers, trailers);
  }

  onResponseError(_controller: ModernController | null, error: Error): void {
    this.onError(error);
  }

  onResponseStarted(): void {
    this.#exchange.progressOf(this)?.onResponseStarted?.();
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#exchange.progressOf(this)?.onBodySent?.(chunkSize, totalBytesSent);
  }

  onRequestSent(): void {
    this.#exchange.progressOf(this)?.onRequestSent?.();
  }

  #start(context: unknown): void {
    // The caller has aborted it in the queue; or, with pipelining, undici starts it anew.
    if (this.#exchange.isLive(this)) this.#exchange.started(context);
    else this.abort();
  }
}

markAttempt(AttemptHandler.prototype);
