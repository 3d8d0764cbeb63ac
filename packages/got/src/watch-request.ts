import type { Call } from "@retry-budget/core";
import type { Options, RequestError, Response } from "got";
import { askBudget } from "./ask-budget.js";
import { outcomeOfError, outcomeOfResponse } from "./got-outcome.js";

/** Follows the attempts through this request's own retry options and hooks. */
export function watchAttempts(call: Call, options: Options): void {
  const { calculateDelay } = options.retry;
  if (calculateDelay !== undefined) {
    options.retry.calculateDelay = (retry) => askBudget(call, calculateDelay, retry);
  }
  // Last in their lists: the user's own hooks have then had their say.
  const { beforeRetry, afterResponse, beforeError } = options.hooks;
  beforeRetry.push(() => call.sent());
  afterResponse.push((response) => {
    if (response.statusCode < 400) tellResponse(call, response);
    return response;
  });
  // From got 15 on, what its own rules refuse never comes to calculateDelay.
  beforeError.push((error: RequestError) => {
    call.settle(outcomeOfError(error, 0, 0));
    return error;
  });
}

interface Emitter {
  on?(event: string, listener: (argument: never) => void): void;
}

/** Follows what goes out: once for each network request, and not for what the cache answers. */
export function watchSending(call: Call, options: Options, result: unknown): void {
  let { url } = options;
  const emitter = Object(result) as Emitter;
  emitter.on?.("redirect", (updated: Options) => {
    url = updated.url;
  });
  emitter.on?.("request", () => call.sent(url));
  if (!options.isStream) return;
  emitter.on?.("response", (response: Response) => tellResponse(call, response));
}

function tellResponse(call: Call, response: Response): void {
  // What the cache answers by itself is no attempt.
  if (response.isFromCache && call.attempts === 0) return;
  call.settle({ ...outcomeOfResponse(response), final: true });
}
