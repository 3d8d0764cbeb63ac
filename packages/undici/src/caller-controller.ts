import type { ModernController } from "./undici-handlers.js";

/** What the controller passes on: to the attempt that lives, or to the wait between two. */
export interface Controlled {
  /** Whether no attempt is under way that could answer an abort. */
  readonly isWaiting: boolean;
  abort(reason: Error | undefined): void;
  pause(): void;
  resume(): void;
}

type Abort = (reason?: Error) => void;

/** The one controller that the caller holds, whatever attempt is behind it. */
export class CallerController implements ModernController {
  rawHeaders: unknown = null;
  rawTrailers: unknown = null;
  readonly #controlled: Controlled;
  #replacement: Abort | undefined;
  #aborted = false;
  #paused = false;
  #reason: Error | null = null;

  constructor(controlled: Controlled) {
    this.#controlled = controlled;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get abort(): Abort {
    return (reason) => {
      this.#replacement?.(reason);
      // A replacement acts on a response that comes; in a wait none would.
      if (this.#replacement === undefined || this.#controlled.isWaiting) this.#abort(reason);
    };
  }

  // undici's `dump` interceptor puts its own in place of this.
  set abort(replacement: Abort) {
    this.#replacement = replacement;
  }

  pause(): void {
    this.#paused = true;
    this.#controlled.pause();
  }

  // Not only when paused: a legacy caller pauses by returning false, and resumes through here.
  resume(): void {
    this.#paused = false;
    this.#controlled.resume();
  }

  #abort(reason: Error | undefined): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason ?? null;
    this.#controlled.abort(reason);
  }
}
