import { isStreamBody } from "@retry-budget/core";
import type { CurrentOptions } from "./got-facts.js";

/**
 * Whether got can send the body again. Narrower than its types: of what can be read once it sends
 * nothing a second time.
 */
export function isReplayable(options: CurrentOptions, isForm: boolean): boolean {
  const { body, hooks } = options;
  if (body === undefined || body === null || typeof body === "string") return true;
  if (ArrayBuffer.isView(body)) return true;
  // A hook besides ours may put a fresh stream in its place.
  if (isStreamBody(body)) return hooks.beforeRetry.length > 1 && takesFreshStream(options);
  return isForm && body instanceof ReadableStream;
}

/**
 * Whether this is a `FormData` that got makes a stream of, and another one for a retry. Before 16 it
 * hangs on a retry, or gives up.
 */
export function isReplayableForm(options: CurrentOptions): boolean {
  return options.body instanceof FormData && "mergeNextRequestOptions" in options;
}

/** got 12 to 14.5 hang on it (#1500, #2073). Only got 11 has plain options. */
function takesFreshStream(options: CurrentOptions): boolean {
  return Object.hasOwn(options, "hooks") || "copyPipedHeaders" in options;
}
