import { AsyncResource } from "node:async_hooks";
import type { Dispatcher } from "undici";

interface LegacyHandler {
  onConnect(abort: () => void, context?: unknown): void;
  onHeaders(status: number, raw: unknown, resume: () => void, statusText: string): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: Buffer[]): void;
}

interface Handler {
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void;
  onResponseStart(controller: object, status: number, headers: object, statusText: string): void;
  onResponseData(controller: object, chunk: Buffer): void;
  onResponseEnd(controller: object, trailers: object): void;
}

const chunk = Buffer.from('{"ok":true}');
const headers = {
  "content-type": "application/json",
  "content-length": String(chunk.length),
  date: "Thu, 01 Jan 2026 00:00:00 GMT",
  connection: "keep-alive",
  "keep-alive": "timeout=5",
};
const trailers = {};
const rawTrailers: Buffer[] = [];

/** Named as that of the core of undici 7. */
class UnwrapController implements Dispatcher.DispatchController {
  readonly aborted: boolean = false;
  readonly paused: boolean = false;
  readonly reason: null = null;
  readonly rawHeaders: Buffer[] = Object.entries(headers)
    .flat()
    .map((text) => Buffer.from(text));
  readonly rawTrailers: Buffer[] = [];
  abort(): void {}
  pause(): void {}
  resume(): void {}
}

const controller = new UnwrapController();

/** Answers within the call and makes nothing for it, so that what is above it is what is seen. */
export class FakeDispatcher {
  /** Whether it leaves the requests unanswered for now. */
  holds: boolean = false;
  readonly held: unknown[] = [];

  /** In the modern API where the handler speaks it, as undici 7 and 8 do, else in the legacy one. */
  dispatch(_options: unknown, handler: unknown): boolean {
    const consumer = handler as Handler;
    if (consumer.onRequestStart === undefined) return this.#answer(handler as LegacyHandler);
    consumer.onRequestStart(controller, null);
    if (this.holds) return this.held.push(handler) > 0;
    consumer.onResponseStart(controller, 200, headers, "OK");
    consumer.onResponseData(controller, chunk);
    consumer.onResponseEnd(controller, trailers);
    return true;
  }

  #answer(handler: LegacyHandler): boolean {
    handler.onConnect(controller.abort as () => void);
    if (this.holds) return this.held.push(handler) > 0;
    handler.onHeaders(200, controller.rawHeaders, controller.resume, "OK");
    handler.onData(chunk);
    handler.onComplete(rawTrailers);
    return true;
  }
}

/** As the handler of undici 8's `request()`: new for each, an async resource, keeps what it gets. */
export class CountingHandler extends AsyncResource implements Handler {
  static ended: number = 0;
  #controller: object | undefined;
  #abort: ((reason?: Error) => void) | undefined;
  #context: unknown;
  #status = 0;
  #headers: object | undefined;
  #received = 0;

  constructor() {
    super("COUNTING_HANDLER");
  }

  onRequestStart(given: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = given;
    this.#abort = (reason) => given.abort(reason as Error);
    this.#context = context;
  }

  onResponseStart(_controller: object, status: number, given: object): void {
    this.#status = status;
    this.#headers = given;
  }

  onResponseData(_controller: object, { length }: Buffer): void {
    this.#received += length;
  }

  onResponseEnd(given: object): void {
    const isWhole = this.#status === 200 && this.#received === chunk.length;
    const isKept = this.#abort !== undefined && this.#headers === headers && this.#context !== "";
    if (isWhole && isKept && given === this.#controller) CountingHandler.ended++;
  }

  onResponseError(_controller: object | null, error: Error): void {
    throw error;
  }
}

/** As that of undici 7, which speaks the legacy API: `compose` wraps it for what is composed. */
export class LegacyCountingHandler extends AsyncResource implements LegacyHandler {
  #abort: ((reason?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #context: unknown;
  #status = 0;
  #rawHeaders: unknown;
  #received = 0;

  constructor() {
    super("COUNTING_HANDLER");
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    this.#abort = abort;
    this.#context = context;
  }

  onHeaders(status: number, rawHeaders: unknown, resume: () => void): boolean {
    this.#status = status;
    this.#rawHeaders = rawHeaders;
    this.#resume = resume;
    return true;
  }

  onData({ length }: Buffer): boolean {
    this.#received += length;
    return true;
  }

  onComplete(): void {
    const isWhole = this.#status === 200 && this.#received === chunk.length;
    const isKept = this.#abort !== undefined && this.#resume !== undefined && this.#context !== "";
    if (isWhole && isKept && Array.isArray(this.#rawHeaders)) CountingHandler.ended++;
  }

  onError(error: Error): void {
    throw error;
  }
}
