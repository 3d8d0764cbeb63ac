import type { Incoming } from "./create-incoming.js";
import { handle, type NodeRequest, type NodeResponse } from "./handle.js";

/** Middleware for Express 4 and 5: what comes after it runs inside what each request says. */
export function forExpress(
  incoming: Incoming,
): (request: NodeRequest, response: NodeResponse, next: () => void) => void {
  return (request, response, next) => handle(incoming, request, response, next);
}
