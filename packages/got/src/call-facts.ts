import { type CallFacts, socketKey } from "@retry-budget/core";
import type { Options } from "got";
import type { CurrentRequest } from "./current-request.js";
import { isReplayable, isReplayableForm } from "./request-body.js";
import { socketPath } from "./socket-path.js";

/** What got knows of a request at its beginning, and later on at each decision. */
export function callFacts(options: Options, current: CurrentRequest): CallFacts {
  const { limit = 0 } = options.retry;
  const path = socketPath(options);
  const isForm = isReplayableForm(options);
  // got 11 has none where none was given.
  const context = options.context as Options["context"] | undefined;
  return {
    client: "got",
    method: options.method,
    url: options.url,
    key: path === undefined ? undefined : socketKey(path),
    options: context?.["retryBudget"],
    maxAttempts: limit + 1,
    isReplayable: () => isReplayable(current.options, isForm),
    // got's list of methods is the caller's word, the default as well as an override.
    isIdempotent: () => current.options.retry.methods?.includes(current.options.method),
  };
}
