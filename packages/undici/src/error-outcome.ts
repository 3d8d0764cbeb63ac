import type { Outcome } from "@retry-budget/core";
import type { Attempt } from "./attempt.js";
import { unreachableProxy } from "./connect-failures.js";

/** An attempt that ended by an error, as the policy sees it. */
export function errorOutcome(
  { started }: Attempt,
  error: Error,
  url: string | URL | undefined,
): Outcome {
  // The handler's start decides, and not the code: that may come from the body or an interceptor.
  if (started) return { error, sent: isUnsure(error) ? undefined : true };
  // A dead proxy must not spend what the origins behind it have earned.
  const proxy = url === undefined ? undefined : unreachableProxy(error, url);
  return { error, sent: false, url: proxy };
}

/** Only HTTP/2 can say of a request that was written that it was not processed. */
function isUnsure(error: Error): boolean {
  return (error as { code?: unknown }).code === "ERR_HTTP2_STREAM_ERROR";
}
