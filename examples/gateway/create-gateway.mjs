import { AsyncLocalStorage } from "node:async_hooks";
import proxy from "@fastify/http-proxy";
import { createIncoming, forFastify, outgoing } from "@retry-budget/context";
import { createRetryPolicy } from "@retry-budget/core";
import Fastify from "fastify";
import { createCluster } from "./cluster.mjs";
import { withoutHopByHop, withoutMarks } from "./headers.mjs";

/** Ends when the caller of the gateway has hung up: neither the attempt nor a retry is wanted then. */
const hungUp = new AsyncLocalStorage();

/**
 * A reverse proxy: what begins with `/items/` goes to the cluster `items`.
 * @param clusters the origins of each cluster's upstreams, by its name
 * @param options of the policy
 */
export function createGateway(clusters, options) {
  const policy = createRetryPolicy({
    // A key says that its server will notice a repetition. A proxy cannot know that of it.
    idempotencyKey: false,
    marks: outgoing({ origins: Object.keys(clusters).map(urlOf), preset: "envoy" }),
    ...options,
  });
  const gateway = Fastify();
  // A caller that retries is left to it, and has no more sent than its deadline allows.
  gateway.register(forFastify(createIncoming()));
  const reports = [];
  for (const [name, origins] of Object.entries(clusters)) {
    const { request, destroy, report } = createCluster(name, origins, policy);
    reports.push(report);
    gateway.register(proxy, {
      prefix: `/${name}`,
      upstream: urlOf(name),
      // The plugin takes anything with a `request` for undici.
      undici: {
        request: (sent, callback) => request({ ...sent, signal: hungUp.getStore() }, callback),
        destroy,
      },
      destroyAgent: true,
      // It would send a GET ten more times on a 503. (`maxRetriesOn503: 0` means ten as well.)
      retryMethods: [],
      replyOptions: {
        rewriteRequestHeaders: (_, headers) => withoutMarks(withoutHopByHop(headers)),
        rewriteHeaders: withoutHopByHop,
        // Its word for a refused connection is 500.
        onError: (reply, { error: { statusCode } }) =>
          reply.code(statusCode === 500 ? 502 : statusCode).send(),
      },
      handler: (_, reply, path, replyOptions) =>
        hungUp.run(closing(reply.raw), () => reply.from(path, replyOptions)),
    });
  }
  // Outside of an example, on a port of its own.
  gateway.get("/upstreams", () => reports.map((report) => report()));
  return gateway;
}

/** Stands for the cluster: which of its upstreams gets a request is settled for each attempt. */
function urlOf(name) {
  return `http://${name}`;
}

/** Not Fastify's `request.signal`, which ends as soon as the body of the request has been read. */
function closing(response) {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
