import type { Incoming } from "./create-incoming.js";
import { endWith, type NodeResponse } from "./handle.js";
import type { RequestHeaders } from "./read-marks.js";

/** What is needed of Hono's context. */
export interface HonoContext {
  readonly req: { readonly raw: { readonly headers: Extract<RequestHeaders, { get: unknown }> } };
  readonly env: unknown;
}

/** Middleware for Hono: what comes after it runs inside what each request says. */
export function forHono(
  incoming: Incoming,
): (context: HonoContext, next: () => Promise<void>) => Promise<void> {
  return async ({ req, env }, next) => {
    const opened = incoming.open(req.raw.headers);
    if (opened === undefined) return next();
    const response = nodeResponseOf(env);
    if (response !== undefined) {
      endWith(response, opened);
      return opened.run(next);
    }
    // Elsewhere nothing says when a response has been sent.
    try {
      await opened.run(next);
    } finally {
      opened.close();
    }
  };
}

/** Of `@hono/node-server`. */
function nodeResponseOf(env: unknown): NodeResponse | undefined {
  const { outgoing } = (env ?? {}) as { outgoing?: NodeResponse };
  return typeof outgoing?.once === "function" ? outgoing : undefined;
}
