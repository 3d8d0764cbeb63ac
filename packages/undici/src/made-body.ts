import type { AttemptBody } from "./request-body.js";

interface Spendable {
  readonly readableDidRead?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: unknown;
  destroy?(): void;
}

/** A body that was made for one attempt, by the request's own `body`. */
export class MadeBody implements AttemptBody {
  readonly #body: Spendable;
  #isSpent: boolean;
  #hasStarted = false;

  constructor(body: object, isSpent: boolean) {
    this.#body = body;
    this.#isSpent = isSpent || looksSpent(body);
  }

  read(): unknown {
    return this.#body;
  }

  isReplayable(): boolean {
    return !this.#isSpent;
  }

  noticeStart(): void {
    this.#hasStarted = true;
    this.#isSpent = true;
  }

  // It is sent as soon as it is made: there is no wait in which to hold it.
  hold(): () => void {
    return () => undefined;
  }

  supersede(): void {}

  forget(): void {}

  /** undici destroys what it has taken hold of; this one it may never have seen. */
  release(): void {
    if (!this.#hasStarted) this.#body.destroy?.();
  }
}

// Old streams, such as those of `form-data`, tell nothing of themselves.
function looksSpent({ readableDidRead, destroyed, errored }: Spendable): boolean {
  return readableDidRead === true || destroyed === true || Boolean(errored);
}
