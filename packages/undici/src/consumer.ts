import { type Head, parsedOf, rawOf, type Trailers } from "./head.js";
import type { ConsumerHandler, LegacyHandler, ModernController } from "./undici-handlers.js";

/**
 * The caller's handler, driven in the API that it speaks. The legacy half is preferred: it gets the
 * raw headers, in which two cookies stay two.
 */
export class Consumer {
  readonly #handler: ConsumerHandler;
  readonly #controller: ModernController;
  readonly #isLegacy: boolean;
  #isStarted = false;

  constructor(handler: ConsumerHandler, controller: ModernController) {
    this.#handler = handler;
    this.#controller = controller;
    this.#isLegacy = isLegacy(handler);
  }

  /** Once for all attempts: the caller keeps one way to abort. */
  start(context: unknown): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const controller = this.#controller;
    if (this.#isLegacy) {
      this.#handler.onConnect?.((reason) => controller.abort(reason), context);
    } else {
      this.#handler.onRequestStart?.(controller, context);
    }
  }

  /** False: the caller wants no more for now. */
  response(head: Head): boolean {
    const controller = this.#controller;
    const { status, statusText } = head;
    if (this.#isLegacy) {
      const resume = (): void => controller.resume();
      return this.#handler.onHeaders?.(status, rawOf(head), resume, statusText) !== false;
    }
    controller.rawHeaders = rawOf(head);
    this.#handler.onResponseStart?.(controller, status, parsedOf(head), statusText);
    return !controller.paused;
  }

  data(chunk: Buffer): boolean {
    if (this.#isLegacy) return this.#handler.onData?.(chunk) !== false;
    this.#handler.onResponseData?.(this.#controller, chunk);
    return !this.#controller.paused;
  }

  end(trailers: Trailers): void {
    if (this.#isLegacy) {
      this.#handler.onComplete?.(rawOf(trailers));
      return;
    }
    this.#controller.rawTrailers = rawOf(trailers);
    this.#handler.onResponseEnd?.(this.#controller, parsedOf(trailers));
  }

  error(error: Error): void {
    if (this.#isLegacy) this.#handler.onError?.(error);
    else this.#handler.onResponseError?.(this.#controller, error);
  }
}

function isLegacy(handler: ConsumerHandler): handler is LegacyHandler {
  return typeof handler.onConnect === "function" && typeof handler.onHeaders === "function";
}
