import { type AttemptHandler, markAttempt } from "./attempt-handler.js";
import type { LegacyHandler, ProgressHandler } from "./undici-handlers.js";

/**
 * An attempt as the core of undici 7 drives it with the least work. For a handler that has the
 * modern half as well, it parses all headers on their way there, which its own callers then do once
 * more.
 */
export class LegacyHalf implements LegacyHandler, ProgressHandler {
  readonly #attempt: AttemptHandler;

  constructor(attempt: AttemptHandler) {
    this.#attempt = attempt;
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    this.#attempt.onConnect(abort, context);
  }

  onHeaders(
    status: number,
    rawHeaders: Buffer[] | null,
    resume: () => void,
    statusText: string,
  ): boolean {
    return this.#attempt.onHeaders(status, rawHeaders, resume, statusText);
  }

  onData(chunk: Buffer): boolean {
    return this.#attempt.onData(chunk);
  }

  onComplete(rawTrailers: Buffer[] | null): void {
    this.#attempt.onComplete(rawTrailers);
  }

  onError(error: Error): void {
    this.#attempt.onError(error);
  }

  onResponseStarted(): void {
    this.#attempt.onResponseStarted();
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#attempt.onBodySent(chunkSize, totalBytesSent);
  }

  onRequestSent(): void {
    this.#attempt.onRequestSent();
  }
}

markAttempt(LegacyHalf.prototype);
