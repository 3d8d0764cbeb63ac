import type { Incoming } from "./create-incoming.js";
import { handle, type NodeRequest, type NodeResponse } from "./handle.js";

/** What is needed of Koa's context. */
export interface KoaContext {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
}

/** Middleware for Koa: what comes after it runs inside what each request says. */
export function forKoa(
  incoming: Incoming,
): <Result>(context: KoaContext, next: () => Result) => Result {
  return ({ req, res }, next) => handle(incoming, req, res, next);
}
