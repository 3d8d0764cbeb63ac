/** A request of node:http, or of follow-redirects around it. */
export interface NodeRequest {
  readonly destroy?: unknown;
  readonly writableFinished?: boolean;
  readonly _redirectCount?: number;
  readonly _currentRequest?: NodeRequest;
}

/** Whether all of it was handed to the system. */
export function wasWritten(request: NodeRequest | null | undefined): boolean {
  const current = request?._currentRequest ?? request;
  return current?.writableFinished === true;
}
