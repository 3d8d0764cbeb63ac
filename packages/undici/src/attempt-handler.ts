import { type Attempt, markAttempt } from "./attempt.js";
import type { Exchange } from "./exchange.js";
import type { ParsedHeaders } from "./header-forms.js";
import type { LegacyHandler, ModernController, ModernHandler } from "./undici-handlers.js";

/**
 * One attempt as undici sees it. It speaks both handler APIs, so that undici 6 (legacy), 7 (either)
 * and 8 (modern) and every built-in fetch can drive it.
 */
export class AttemptHandler implements Attempt, LegacyHandler, ModernHandler {
  readonly #exchange: Exchange;
  #abort: ((reason?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #controller: ModernController | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get started(): boolean {
    return this.#abort !== undefined || this.#controller !== undefined;
  }

  get controller(): object | undefined {
    return this.#controller;
  }

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
    this.#exchange.started(this, context);
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
    this.#exchange.started(this, context);
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
}

markAttempt(AttemptHandler.prototype);
