import type { AttemptHandler } from "./attempt-handler.js";

/** The handler's start decides, and not the code: a code may come from the body or an interceptor. */
export function sentOf({ started }: AttemptHandler, error: Error): boolean | undefined {
  if (!started) return false;
  // Only HTTP/2 can say of a request that was written that it was not processed.
  return (error as { code?: unknown }).code === "ERR_HTTP2_STREAM_ERROR" ? undefined : true;
}
