import { isReplayableBody, isStreamBody } from "@retry-budget/core";
import { BodyRecord, type OneShotBody } from "./body-record.js";

interface StreamLike {
  readonly readableDidRead?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: unknown;
  on(event: "error", listener: () => void): void;
  off(event: "error", listener: () => void): void;
}

const ignore = (): void => undefined;

/** A body that sending uses up. */
export interface AttemptBody {
  /** Gives what one more attempt sends. */
  read(): unknown;
  isReplayable(): boolean;
  /** undici takes hold of a stream when an attempt starts, before anything was read from it. */
  noticeStart(): void;
  /** Between two attempts nobody else listens for the error of a stream. Gives the way to stop. */
  hold(): () => void;
  /** Another attempt is to come, while the one before may still upload. */
  supersede(): void;
  /** No further attempt will be made. */
  forget(): void;
  /** The request is over. */
  release(): void;
}

/** The body that came with the request, and whether it can be sent once more all the same. */
export class RequestBody implements AttemptBody {
  readonly #body: unknown;
  readonly #record: BodyRecord | undefined;
  #hasStarted = false;

  constructor(body: unknown, recordLimit: number) {
    this.#body = body;
    this.#record = isOneShot(body) ? new BodyRecord(body, recordLimit) : undefined;
  }

  read(): unknown {
    return this.#record?.read() ?? this.#body;
  }

  noticeStart(): void {
    this.#hasStarted = true;
  }

  isReplayable(): boolean {
    if (this.#record !== undefined) return this.#record.isKept;
    return !this.#hasStarted && isUntouchedStream(this.#body);
  }

  hold(): () => void {
    const body = this.#body;
    if (!isStream(body)) return ignore;
    body.on("error", ignore);
    return () => body.off("error", ignore);
  }

  supersede(): void {
    this.#record?.supersede();
  }

  forget(): void {
    this.#record?.forget();
  }

  release(): void {
    this.#record?.release();
  }
}

/** Whether sending leaves this body as it was. */
export function isReusable(body: unknown): boolean {
  return isReplayableBody(body) || Array.isArray(body);
}

function isOneShot(body: unknown): body is OneShotBody {
  if (typeof body !== "object" || body === null || isStreamBody(body)) return false;
  return Symbol.asyncIterator in body || Symbol.iterator in body;
}

function isUntouchedStream(body: unknown): boolean {
  if (!isStream(body)) return false;
  const { readableDidRead, destroyed, errored } = body;
  return readableDidRead === false && destroyed === false && errored === null;
}

function isStream(body: unknown): body is StreamLike {
  return isStreamBody(body) && typeof (body as { on?: unknown }).on === "function";
}
