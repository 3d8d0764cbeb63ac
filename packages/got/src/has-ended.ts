import type { RequestError } from "got";

/**
 * Whether got has told the caller that the request is over while its retry is still being decided:
 * after an abort, and, in got 15 and before on Node 24.20 and later, after a refused connection,
 * which fails a second time besides (got #2469).
 */
export function hasEnded(error: RequestError): boolean {
  const { request, cause }: Partial<RequestError> = Object(error);
  if (request === undefined) return false;
  const { destroyed, errored } = request;
  // From got 14.6 on, an error that the stream itself has emitted is the one that may be retried.
  return destroyed || (Boolean(errored) && errored !== error && errored !== cause);
}
