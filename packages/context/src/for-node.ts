import type { IncomingMessage, ServerResponse } from "node:http";
import type { Incoming } from "./create-incoming.js";
import { handle, type NodeRequest, type NodeResponse } from "./handle.js";

/** A listener for `node:http` or `node:http2` that runs yours inside what each request says. */
export function forNode<
  Request extends NodeRequest = IncomingMessage,
  Response extends NodeResponse = ServerResponse,
>(
  incoming: Incoming,
  listener: (request: Request, response: Response) => unknown,
): (request: Request, response: Response) => unknown {
  return (request, response) =>
    handle(incoming, request, response, () => listener(request, response));
}
