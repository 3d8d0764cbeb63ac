import { type Call, refusalCarrier } from "@retry-budget/core";
import { type Consumer, consumerOf } from "./consumer.js";
import type { ParsedHeaders } from "./header-forms.js";
import type { ConsumerHandler, ModernController } from "./undici-handlers.js";

/** What the controller passes on: to the attempt that lives, or to the wait between two. */
export interface Controlled {
  /** Whether no attempt is under way that could answer an abort. */
  readonly isWaiting: boolean;
  abort(reason: Error | undefined): void;
  pause(): void;
  resume(): void;
}

type Abort = (reason?: Error) => void;

/**
 * The caller's side: its handler, and the one controller that it holds, whatever attempt is behind
 * it. One object for both, since there is one for every request.
 */
export class Caller implements ModernController {
  rawHeaders: unknown = null;
  rawTrailers: unknown = null;
  readonly #handler: ConsumerHandler;
  readonly #consumer: Consumer;
  readonly #controlled: Controlled;
  #replacement: Abort | undefined;
  #isStarted = false;
  #paused = false;
  /** Null: aborted, for no reason. */
  #reason: Error | null | undefined;

  constructor(handler: ConsumerHandler, controlled: Controlled) {
    this.#handler = handler;
    this.#consumer = consumerOf(handler);
    this.#controlled = controlled;
  }

  get handler(): ConsumerHandler {
    return this.#handler;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get reason(): Error | null {
    return this.#reason ?? null;
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

  /** Once for all attempts: the caller keeps one way to abort. */
  start(context: unknown, call: Call): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const carrier = new Context(call);
    const shown = isObject(context) ? { ...context, ...carrier } : carrier;
    this.#consumer.start(this.#handler, this, shown);
  }

  /** False: the caller wants no more for now. */
  response(
    status: number,
    statusText: string | undefined,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): boolean {
    return this.#consumer.response(this.#handler, this, status, statusText, raw, parsed);
  }

  data(chunk: Buffer): boolean {
    return this.#consumer.data(this.#handler, this, chunk);
  }

  end(raw: unknown, parsed: ParsedHeaders | undefined): void {
    this.#consumer.end(this.#handler, this, raw, parsed);
  }

  error(error: Error): void {
    this.#consumer.error(this.#handler, this, error);
  }

  #abort(reason: Error | undefined): void {
    if (this.aborted) return;
    this.#reason = reason ?? null;
    this.#controlled.abort(reason);
  }
}

/**
 * undici copies the context into its results, which are made after the decision. A class, since V8
 * comes to put literals that are made often into its old space, where they keep the whole request.
 */
class Context {
  readonly [refusalCarrier]: Call;

  constructor(call: Call) {
    this[refusalCarrier] = call;
  }
}

function isObject(context: unknown): context is object {
  return typeof context === "object" && context !== null;
}
