import { isReplayableBody, isStreamBody } from "@retry-budget/core";

interface StreamLike {
  readonly pipe: unknown;
  readonly readableDidRead?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: unknown;
  on(event: "error", listener: () => void): void;
  off(event: "error", listener: () => void): void;
}

const ignore = (): void => undefined;

/** The body of a request, and whether it can be sent once more. */
export class RequestBody {
  readonly #body: unknown;
  #hasStarted = false;

  constructor(body: unknown) {
    this.#body = body;
  }

  /** undici takes hold of a stream when an attempt starts, before anything was read from it. */
  noticeStart(): void {
    this.#hasStarted = true;
  }

  isReplayable(): boolean {
    return isReplayableBody(this.#body) || (!this.#hasStarted && isUntouchedStream(this.#body));
  }

  /** Between two attempts nobody else listens for the error of a stream. Gives the way to stop. */
  hold(): () => void {
    const body = this.#body;
    if (!isStream(body)) return ignore;
    body.on("error", ignore);
    return () => body.off("error", ignore);
  }
}

function isUntouchedStream(body: unknown): boolean {
  if (!isStream(body)) return false;
  const { readableDidRead, destroyed, errored } = body;
  return readableDidRead === false && destroyed === false && errored === null;
}

function isStream(body: unknown): body is StreamLike {
  return isStreamBody(body) && typeof (body as StreamLike).on === "function";
}
