import type { RetryPolicy } from "@retry-budget/core";
import type { Dispatcher } from "undici";
import { isAttempt } from "./attempt.js";
import { listenToConnectFailures } from "./connect-failures.js";
import { CoreWatch } from "./core-watch.js";
import { dispatchedRequest } from "./dispatched-request.js";
import { Exchange } from "./exchange.js";
import { LayerWatch } from "./layer-watch.js";
import { noCall } from "./no-call.js";
import type { ConsumerHandler, Dispatch } from "./undici-handlers.js";
import type { ResolvedUndiciSettings } from "./undici-settings.js";

let compositions = 0;

/**
 * What undici gives an interceptor. 6 and 7 give the first alone; 8 gives the origin as well, which
 * is undefined for an Agent, and null for a BalancedPool.
 */
export type Composition = [dispatch: Dispatch, origin?: string | null | undefined];

export function budgetDispatch(
  composition: Composition,
  policy: RetryPolicy,
  settings: ResolvedUndiciSettings,
): Dispatch {
  listenToConnectFailures();
  const [dispatch, origin] = composition;
  const layers = new LayerWatch();
  layers.composed(dispatch);
  const speaksModernAlone = composition.length > 1;
  const interception = {
    dispatch,
    origin: origin ?? undefined,
    named: settings.origin,
    // Not one for all: the failures of one server would spend what another's requests have earned.
    key: `undici-${++compositions}`,
    recordLimit: settings.recordLimit,
    layers,
    // Where no interceptor is beneath, undici binds the dispatcher's own method.
    core: new CoreWatch(!speaksModernAlone && dispatch.name === "bound dispatch"),
  };
  // Undici takes no interceptor whose function has not two parameters.
  return (options, handler) => {
    const consumer = handler as unknown as ConsumerHandler;
    if (!isOurs(options, consumer)) return dispatch(options, handler);
    const fits = (speaksModernAlone ? consumer.onRequestStart : consumer.onConnect) !== undefined;
    const given = speaksModernAlone && !fits ? withoutHttp2(options) : options;
    const request = dispatchedRequest(given, interception);
    const call = policy.call(request);
    if (call === undefined && fits) return dispatch(request.dispatched, handler);
    // The fetch of another major is understood here alone, also where nothing is to be retried.
    return new Exchange(call ?? noCall, request, consumer).begin();
  };
}

/** A tunnel is no request, and what is already an attempt has its retry budget further out. */
function isOurs(options: Dispatcher.DispatchOptions, handler: ConsumerHandler): boolean {
  // What cannot be sent at all is answered by undici's own error.
  if (!options || !handler) return false;
  return options.method !== "CONNECT" && !options.upgrade && !isAttempt(handler);
}

/** Who speaks the legacy API alone knows no HTTP/2 (undici #4989). */
function withoutHttp2(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  if ("allowH2" in options) return options;
  return { ...options, allowH2: false } as Dispatcher.DispatchOptions;
}
