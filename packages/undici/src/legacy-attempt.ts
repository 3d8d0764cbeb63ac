import { type Attempt, markAttempt } from "./attempt.js";
import type { Exchange } from "./exchange.js";
import type { LegacyHandler, ProgressHandler } from "./undici-handlers.js";

/**
 * An attempt for the core of undici 7, which drives this with the least work. Where a handler speaks
 * the modern API too, it parses all headers on their way there, which its own callers then do once
 * more. Not within an `AttemptHandler`, nor made from one: decision 18.
 */
export class LegacyAttempt implements Attempt, LegacyHandler, ProgressHandler {
  readonly #exchange: Exchange;
  #abort: ((reason?: Error) => void) | undefined;
  #resume: (() => void) | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get started(): boolean {
    return this.#abort !== undefined;
  }

  get controller(): undefined {
    return undefined;
  }

  get aborted(): false {
    return false;
  }

  abort(reason?: Error): void {
    this.#abort?.(reason);
  }

  /** Here a response is paused by what `onHeaders` and `onData` return. */
  pause(): void {}

  resume(): void {
    this.#resume?.();
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

markAttempt(LegacyAttempt.prototype);
