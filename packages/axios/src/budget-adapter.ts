import { type CallFacts, isReplayableBody, type RetryPolicy, socketKey } from "@retry-budget/core";
import { AttemptRunner } from "./attempt-runner.js";
import type { Adapter, Config, GetAdapter, Send } from "./axios-instance.js";
import { requestUrl } from "./request-url.js";
import type { Sibling } from "./sibling.js";

// On the function, so that another copy of this package knows it, too.
const mark: unique symbol = Symbol.for("retry-budget.axios-adapter.v1");

interface Budgeted {
  readonly [mark]: { readonly adapter: Adapter };
}

export function isBudgeted(adapter: unknown): adapter is Budgeted {
  return typeof adapter === "function" && mark in adapter;
}

/** An adapter that sends through the given one, once or more often. */
export function budgetAdapter(
  policy: RetryPolicy,
  sibling: Sibling,
  adapter: Adapter,
  getAdapter: GetAdapter | undefined,
): Send {
  const budgeted: Send = (config) => {
    restoreAdapter(config);
    const send = (): ReturnType<Send> => senderOf(adapter, config, sibling, getAdapter)(config);
    return policy.run(factsOf(config), new AttemptRunner(config, send, sibling));
  };
  return Object.assign(budgeted, { [mark]: { adapter } });
}

/** Callers send `error.config` again: it must not hold this loop. */
export function restoreAdapter(config: Config): void {
  const { adapter } = config;
  if (!isBudgeted(adapter)) return;
  const { adapter: original } = adapter[mark];
  if (original === undefined) Reflect.deleteProperty(config, "adapter");
  else Reflect.set(config, "adapter", original);
}

function factsOf(config: Config): CallFacts {
  const { method = "get", socketPath, data, headers, signal, cancelToken } = config;
  return {
    client: "axios",
    method: method.toUpperCase(),
    url: requestUrl(config),
    key: typeof socketPath === "string" ? socketKey(socketPath) : undefined,
    options: config.retryBudget,
    isReplayable: () => isReplayableBody(data),
    // `false` and `null` are how axios unsets a header.
    hasIdempotencyKey: () => Boolean(headers.get("Idempotency-Key")),
    isAborted: () => signal?.aborted === true || cancelToken?.reason !== undefined,
  };
}

function senderOf(
  adapter: Adapter,
  config: Config,
  sibling: Sibling,
  getAdapter: GetAdapter | undefined,
): Send {
  const [first] = Array.isArray(adapter) ? adapter : [adapter];
  if (typeof first === "function") return first as Send;
  // Without a name axios takes its own default, which only its dispatch knows.
  if (getAdapter !== undefined && adapter) return getAdapter(adapter, config);
  return sibling.sender(adapter);
}
