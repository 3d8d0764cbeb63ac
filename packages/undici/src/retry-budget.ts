import {
  expectKey,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { Dispatcher } from "undici";
import { type AttemptHandler, isAttempt } from "./attempt-handler.js";
import { Exchange } from "./exchange.js";
import { RequestBody } from "./request-body.js";
import { hasHeader, withReusableHeaders } from "./request-headers.js";
import type { ConsumerHandler } from "./undici-handlers.js";

declare module "undici" {
  namespace Dispatcher {
    interface DispatchOptions {
      /** False opts this request out of the retry budget; an object sets its own options. */
      retryBudget?: false | RetryBudgetRequestOptions | undefined;
    }
  }
}

/** What is the adapter's own, and not the policy's. */
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
      if (isNotOurs(options, handler)) return dispatch(options, handler);
      const request = withReusableHeaders(options);
      const url = options.origin ?? composedOn ?? undefined;
      const body = new RequestBody(options.body);
      const call = policy.call({
        client: "undici",
        method: options.method,
        url,
        key: url === undefined ? origin : undefined,
        options: options.retryBudget,
        isIdempotent: () => options.idempotent ?? undefined,
        isReplayable: () => body.isReplayable(),
        hasIdempotencyKey: () => hasHeader(request.headers, "idempotency-key"),
      });
      if (call === undefined) return dispatch(request as typeof options, handler);
      // The types of each major know one of the two handler APIs in full, and the other in part.
      const send = (attempt: AttemptHandler): boolean =>
        dispatch(request as typeof options, attempt as unknown as Dispatcher.DispatchHandler);
      return new Exchange(call, send, body, handler as unknown as ConsumerHandler).begin();
    };
}

/** A tunnel is no request, and what is already an attempt has its retry budget further out. */
function isNotOurs({ method, upgrade }: Dispatcher.DispatchOptions, handler: object): boolean {
  return method === "CONNECT" || Boolean(upgrade) || isAttempt(handler);
}
