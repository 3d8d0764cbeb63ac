import type { Dispatcher } from "undici";
import type { ParsedHeaders } from "./header-forms.js";

// By these ways, since undici 6 has no names for the two.
export type Dispatch = Dispatcher["dispatch"];
export type DispatchHandler = Parameters<Dispatch>[1];

/** The handler API of undici 6, which 7 still speaks. */
export interface LegacyHandler {
  onConnect(abort: (reason?: Error) => void, context?: unknown): void;
  onHeaders(
    status: number,
    rawHeaders: Buffer[] | null,
    resume: () => void,
    statusText: string,
  ): boolean | undefined;
  onData(chunk: Buffer): boolean | undefined;
  onComplete(rawTrailers: Buffer[] | null): void;
  onError(error: Error): void;
}

/** The controller of the modern API. */
export interface ModernController {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  rawHeaders?: unknown;
  rawTrailers?: unknown;
  abort(reason?: Error): void;
  pause(): void;
  resume(): void;
}

/** The handler API of undici 7 and 8. */
export interface ModernHandler {
  onRequestStart(controller: ModernController, context?: unknown): void;
  onResponseStart(
    controller: ModernController,
    status: number,
    headers: ParsedHeaders,
    statusText?: string,
  ): void;
  onResponseData(controller: ModernController, chunk: Buffer): void;
  onResponseEnd(controller: ModernController, trailers: ParsedHeaders): void;
  onResponseError(controller: ModernController | null, error: Error): void;
}

/** What both APIs may have besides. */
export interface ProgressHandler {
  onResponseStarted?(): void;
  onBodySent?(chunkSize: number, totalBytesSent: number): void;
  onRequestSent?(): void;
}

export type ConsumerHandler = Partial<LegacyHandler> & Partial<ModernHandler> & ProgressHandler;
