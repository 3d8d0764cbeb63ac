import type { Incoming } from "./create-incoming.js";
import { handle, type NodeRequest, type NodeResponse } from "./handle.js";

/** What is needed of Fastify. */
export interface FastifyLike {
  addHook(
    name: "onRequest",
    hook: (
      request: { readonly raw: NodeRequest },
      reply: { readonly raw: NodeResponse },
      done: () => void,
    ) => void,
  ): unknown;
}

/** A plugin for Fastify, to be registered before others: all routes run inside what each request says. */
export function forFastify(
  incoming: Incoming,
): (fastify: FastifyLike, options: unknown, done: () => void) => void {
  const plugin = (fastify: FastifyLike, _: unknown, registered: () => void): void => {
    fastify.addHook("onRequest", ({ raw }, reply, done) => handle(incoming, raw, reply.raw, done));
    registered();
  };
  // For the whole server, and not for what is registered inside of the plugin alone.
  return Object.assign(plugin, { [Symbol.for("skip-override")]: true });
}
