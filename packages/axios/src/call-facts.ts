import { type CallFacts, isReplayableBody, socketKey } from "@retry-budget/core";
import type { Config, Instance } from "./axios-instance.js";
import { isRetriedElsewhere } from "./other-layer.js";
import { requestUrl } from "./request-url.js";

/** What the policy is to know of a request. */
export function callFacts(config: Config, instance: Instance): CallFacts {
  const { method = "get", socketPath, data, headers, signal, cancelToken } = config;
  return {
    client: "axios",
    method: method.toUpperCase(),
    url: requestUrl(config),
    key: typeof socketPath === "string" ? socketKey(socketPath) : undefined,
    options: optionsOf(config),
    takesBody: true,
    isReplayable: () => isReplayableBody(data),
    // `false` and `null` are how axios unsets a header.
    requestHeader: (name) => headers.get(name),
    isRetriedElsewhere: () => isRetriedElsewhere(instance, config),
    isAborted: () => signal?.aborted === true || cancelToken?.reason !== undefined,
  };
}

/** A body that is made for a retry may be what `data` may be. */
function optionsOf(config: Config): unknown {
  const { retryBudget } = config;
  const { body } = Object(retryBudget) as { body?: unknown };
  if (typeof body !== "function") return retryBudget;
  return { ...Object(retryBudget), body: async () => transform(config, await body()) };
}

function transform(config: Config, body: unknown): unknown {
  const steps: unknown[] = [config.transformRequest].flat();
  return steps.reduce(
    (data, step) => (typeof step === "function" ? step.call(config, data, config.headers) : data),
    body,
  );
}
