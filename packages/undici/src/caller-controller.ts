import type { ModernController } from "./undici-handlers.js";

/** What the controller passes on: to the attempt that lives, or to the wait between two. */
export interface Controlled {
  abort(reason: Error | undefined): void;
  pause(): void;
  resume(): void;
}

/** The one controller that the caller holds, whatever attempt is behind it. */
export class CallerController implements ModernController {
  rawHeaders: unknown = null;
  rawTrailers: unknown = null;
  readonly #controlled: Controlled;
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

  abort(reason?: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason ?? null;
    this.#controlled.abort(reason);
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
}
