import type { Incoming } from "./create-incoming.js";
import type { IncomingRequest } from "./incoming-request.js";
import type { RequestHeaders } from "./read-marks.js";

/** What is needed of a request of `node:http`, or of http2's compatible one. */
export interface NodeRequest {
  readonly headers: Extract<RequestHeaders, Readonly<Record<string, unknown>>>;
  emit(event: string | symbol, ...values: unknown[]): boolean;
}

/** What is needed of its response. */
export interface NodeResponse {
  /** Whether the handler has ended it. */
  readonly writableEnded: boolean;
  /** Whether its connection is closed: of `node:http`. */
  readonly closed?: boolean;
  /** Of `node:http2`. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: "finish" | "close", listener: () => void): unknown;
}

/** Does the work of a request inside what its headers say. */
export function handle<Result>(
  incoming: Incoming,
  request: NodeRequest,
  response: NodeResponse,
  work: () => Result,
): Result {
  const opened = incoming.open(request.headers);
  if (opened === undefined) return work();
  endWith(response, opened);
  // The parser tells of the body outside of what the listeners were added in.
  const { emit } = request;
  request.emit = (...event) => opened.run(() => emit.apply(request, event));
  return opened.run(work);
}

/** Ends it when the response has been sent, or the caller has gone. */
export function endWith(response: NodeResponse, opened: IncomingRequest): void {
  // http2's says that it has finished when its caller has gone, too.
  response.once("finish", () => {
    if (response.writableEnded) opened.close();
  });
  response.once("close", () => opened.leave());
  // Before it came here: nothing would say so again.
  if (response.closed === true || response.stream?.destroyed === true) opened.leave();
}
