import type { Call, RetryPolicy } from "@retry-budget/core";
import type { Options } from "got";
import { isReplayable } from "./request-body.js";
import { socketKey } from "./socket-key.js";

/** The policy's call for a request of got's; `undefined` where the request has opted out. */
export function callOf(policy: RetryPolicy, options: Options): Call | undefined {
  const { limit = 0 } = options.retry;
  return policy.call({
    client: "got",
    method: options.method,
    url: options.url ?? "",
    key: socketKey(options),
    options: options.context["retryBudget"],
    maxAttempts: limit + 1,
    isReplayable: () => isReplayable(options),
    // got's list of methods is the caller's word, the default as well as an override.
    isIdempotent: () => options.retry.methods?.includes(options.method),
  });
}
