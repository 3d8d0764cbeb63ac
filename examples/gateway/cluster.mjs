import { retryBudget } from "@retry-budget/undici";
import { Agent } from "undici";
import { observed } from "../observed.mjs";

// RFC 9110 §9.2.2: what else comes, a proxy must not send again by itself.
const idempotent = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** Some servers that do the same, under one name, and with one budget, which has that name. */
export function createCluster(name, origins, policy) {
  const upstreams = origins.map((origin) => ({ origin, attempts: 0, failures: 0 }));
  const dispatcher = new Agent().compose(balance(upstreams), retryBudget(policy));
  let turn = 0;

  return {
    /** What the proxy plugin calls, as if this were undici. */
    request: (options, callback) => {
      const own = idempotent.has(options.method) ? {} : { maxAttempts: 1 };
      const route = { next: turn++ };
      dispatcher.request({ ...options, route, retryBudget: { key: name, ...own } }, callback);
    },
    destroy: () => dispatcher.destroy(),
    report: () => ({
      cluster: name,
      ...policy.snapshot().find(({ origin }) => origin === name),
      upstreams,
    }),
  };
}

/**
 * An interceptor that sends requests to one upstream after the other, and so a retry to another than
 * the attempt before it: it is beneath the budget, and sees each attempt. (`BalancedPool` of undici
 * cannot tell a retry from the next request.) Which upstream is in health is left to others: the
 * budget bounds what an example's ignorance of that costs.
 */
function balance(upstreams) {
  return (dispatch) => (options, handler) => {
    const upstream = upstreams[options.route.next++ % upstreams.length];
    upstream.attempts++;
    const attempt = observed(handler, ({ status, error, isAborted }) => {
      if (status >= 500 || (error && !isAborted)) upstream.failures++;
    });
    return dispatch({ ...options, origin: upstream.origin }, attempt);
  };
}
