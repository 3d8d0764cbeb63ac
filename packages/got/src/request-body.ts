import { isStreamBody } from "@retry-budget/core";
import type { CurrentOptions } from "./current-options.js";

/**
 * Whether got can send the body again. Narrower than its types: it hangs on a `FormData` before got
 * 15, and sends nothing of a stream that was consumed.
 */
export function isReplayable({ body, hooks }: CurrentOptions): boolean {
  if (body === undefined || body === null || typeof body === "string") return true;
  if (ArrayBuffer.isView(body)) return true;
  // A hook besides ours may put a fresh stream in its place.
  return isStreamBody(body) && hooks.beforeRetry.length > 1;
}
