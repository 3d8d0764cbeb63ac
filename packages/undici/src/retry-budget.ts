import {
  expectKey,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { Dispatcher } from "undici";
import type { AttemptHandler } from "./attempt-handler.js";
import { Exchange } from "./exchange.js";
import { RequestBody } from "./request-body.js";
import { hasHeader, reusableHeaders } from "./request-headers.js";
import type { ConsumerHandler } from "./undici-handlers.js";

declare module "undici" {
  namespace Dispatcher {
    interface DispatchOptions {
      /** False opts this request out of the retry budget; an object sets its own options. */
      retryBudget?: false | RetryBudgetRequestOptions;
    }
  }
}

export interface UndiciSettings {
  /** The origin of a Client or a Pool, which undici 6 and 7 do not tell their interceptors. */
  readonly origin?: string | URL | undefined;
}

/**
 * An interceptor for `dispatcher.compose()` that reissues failed requests within a retry budget.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget(
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings: UndiciSettings = {},
): Dispatcher.DispatcherComposeInterceptor {
  const policy = policyOf(optionsOrPolicy);
  const { origin } = resolveSettings(settings, { origin: expectKey });
  return (dispatch: Dispatcher.Dispatch, composedOn?: string | null): Dispatcher.Dispatch =>
    (options, handler) => {
      const { method, upgrade, idempotent } = options;
      if (method === "CONNECT" || upgrade) return dispatch(options, handler);
      const headers = reusableHeaders(options.headers);
      const body = new RequestBody(options.body);
      const call = policy.call({
        client: "undici",
        method,
        url: options.origin ?? composedOn ?? origin ?? "unknown",
        options: options.retryBudget,
        isIdempotent: () => idempotent ?? undefined,
        isReplayable: () => body.isReplayable(),
        hasIdempotencyKey: () => hasHeader(headers, "idempotency-key"),
      });
      if (call === undefined) return dispatch(options, handler);
      // By spreading: undici hands itself options under symbols.
      const same = headers === options.headers;
      const own = same ? options : ({ ...options, headers } as Dispatcher.DispatchOptions);
      // The types of each major know one of the two handler APIs in full, and the other in part.
      const send = (attempt: AttemptHandler): boolean =>
        dispatch(own, attempt as unknown as Dispatcher.DispatchHandler);
      return new Exchange(call, send, body, handler as unknown as ConsumerHandler).begin();
    };
}
