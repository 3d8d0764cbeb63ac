import { listOf, type ParsedHeaders, parsedOf } from "./header-forms.js";
import type { ConsumerHandler, ModernController } from "./undici-handlers.js";

/** How the caller's handler is driven. These have no state: there are two, and not one a request. */
export interface Consumer {
  start(handler: ConsumerHandler, controller: ModernController, context: object): void;
  /** False: the caller wants no more for now. */
  response(
    handler: ConsumerHandler,
    controller: ModernController,
    status: number,
    statusText: string | undefined,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): boolean;
  data(handler: ConsumerHandler, controller: ModernController, chunk: Buffer): boolean;
  end(
    handler: ConsumerHandler,
    controller: ModernController,
    raw: unknown,
    parsed: ParsedHeaders | undefined,
  ): void;
  error(handler: ConsumerHandler, controller: ModernController, error: Error): void;
}

/** The API that this handler speaks; the legacy one if both: there two cookies stay two. */
export function consumerOf(handler: ConsumerHandler): Consumer {
  if (typeof handler.onConnect !== "function") return modern;
  return typeof handler.onHeaders === "function" ? legacy : modern;
}

const legacy: Consumer = {
  start: (handler, controller, context) => {
    handler.onConnect?.((reason) => controller.abort(reason), context);
  },
  response: (handler, controller, status, statusText = "", raw, parsed) => {
    // Not undici's own, which is the connection's, and would resume whatever comes on it later.
    const resume = (): void => controller.resume();
    return handler.onHeaders?.(status, listOf(raw, parsed), resume, statusText) !== false;
  },
  data: (handler, _, chunk) => handler.onData?.(chunk) !== false,
  end: (handler, _, raw, parsed) => handler.onComplete?.(listOf(raw, parsed)),
  error: (handler, _, error) => handler.onError?.(error),
};

const modern: Consumer = {
  start: (handler, controller, context) => handler.onRequestStart?.(controller, context),
  response: (handler, controller, status, statusText, raw, parsed) => {
    controller.rawHeaders = raw;
    handler.onResponseStart?.(controller, status, parsed ?? parsedOf(raw), statusText);
    return !controller.paused;
  },
  data: (handler, controller, chunk) => {
    handler.onResponseData?.(controller, chunk);
    return !controller.paused;
  },
  end: (handler, controller, raw, parsed) => {
    controller.rawTrailers = raw;
    handler.onResponseEnd?.(controller, parsed ?? parsedOf(raw));
  },
  error: (handler, controller, error) => handler.onResponseError?.(controller, error),
};
