import type { Exchange } from "./exchange.js";
import { type Head, headOfLegacy, headOfModern, rawListOf, type Trailers } from "./head.js";
import type {
  LegacyHandler,
  ModernController,
  ModernHandler,
  ParsedHeaders,
} from "./undici-handlers.js";

// A registered symbol on the prototype, so that another copy of this package knows it, too.
const mark = Symbol.for("retry-budget.undici-attempt.v1");

/** Whether a retry budget further out has this request: the first to act keeps it. */
export function isAttempt(handler: object): boolean {
  return mark in handler;
}

/** Most bytes read of a failed response to keep its socket; after that the socket is given up. */
const mostDrained = 128 * 1024;

/**
 * One attempt as undici sees it. It speaks both handler APIs, so that undici 6 (legacy), 7 (either)
 * and 8 (modern) and every built-in fetch can drive it; late events of a dead attempt end here.
 */
export class AttemptHandler implements LegacyHandler, ModernHandler {
  readonly #exchange: Exchange;
  #abort: ((reason?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #controller: ModernController | undefined;
  #drained = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Whether the request was about to be written: before that, nothing can have reached the server. */
  get started(): boolean {
    return this.#abort !== undefined;
  }

  /** Whether someone beneath us was told to abort, as undici 8 does for a request in its queue. */
  get aborted(): boolean {
    return this.#controller?.aborted === true;
  }

  abort(reason?: Error): void {
    this.#abort?.(reason);
  }

  /** Nobody reads this response any more. */
  drain(chunk: Buffer): void {
    this.#drained += chunk.length;
    if (this.#drained > mostDrained) this.abort();
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (this.#controller === undefined) this.#resume?.();
    else this.#controller.resume();
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    this.#start(abort, context);
  }

  onHeaders(
    status: number,
    rawHeaders: Buffer[] | null,
    resume: () => void,
    statusText: string,
  ): boolean {
    this.#resume = resume;
    return this.#response(headOfLegacy(status, rawHeaders ?? [], statusText));
  }

  onData(chunk: Buffer): boolean {
    return this.#exchange.data(this, chunk);
  }

  onComplete(rawTrailers: Buffer[] | null): void {
    this.#end({ raw: rawTrailers ?? [], parsed: undefined });
  }

  onError(error: Error): void {
    this.#exchange.failed(this, error);
  }

  onRequestStart(controller: ModernController, context?: unknown): void {
    this.#controller = controller;
    this.#start((reason) => controller.abort(reason as Error), context);
  }

  onResponseStart(
    controller: ModernController,
    status: number,
    headers: ParsedHeaders,
    statusText?: string,
  ): void {
    if (!this.#response(headOfModern(controller, status, headers, statusText))) controller.pause();
  }

  onResponseData(controller: ModernController, chunk: Buffer): void {
    if (!this.onData(chunk)) controller.pause();
  }

  onResponseEnd(controller: ModernController, trailers: ParsedHeaders): void {
    this.#end({ raw: rawListOf(controller.rawTrailers), parsed: trailers });
  }

  onResponseError(_controller: ModernController | null, error: Error): void {
    this.onError(error);
  }

  onResponseStarted(): void {
    this.#exchange.forward(this, "onResponseStarted");
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#exchange.forward(this, "onBodySent", chunkSize, totalBytesSent);
  }

  onRequestSent(): void {
    this.#exchange.forward(this, "onRequestSent");
  }

  #start(abort: (reason?: Error) => void, context: unknown): void {
    this.#abort = abort;
    // The caller has aborted it in the queue; or, with pipelining, undici starts it anew.
    if (this.#exchange.isLive(this)) this.#exchange.started(context);
    else abort();
  }

  #response(head: Head): boolean {
    return this.#exchange.response(this, head);
  }

  #end(trailers: Trailers): void {
    this.#exchange.ended(this, trailers);
  }
}

Object.defineProperty(AttemptHandler.prototype, mark, { value: true });
