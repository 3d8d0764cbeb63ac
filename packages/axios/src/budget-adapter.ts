import type { RetryPolicy } from "@retry-budget/core";
import { isReplayableBody } from "@retry-budget/core";
import { AttemptRunner } from "./attempt-runner.js";
import type { Adapter, Config, GetAdapter, Send } from "./axios-instance.js";
import type { Sibling } from "./sibling.js";
import { targetUrl } from "./target-url.js";

// On the function, so that another copy of this package knows it, too.
const mark: unique symbol = Symbol.for("retry-budget.axios-adapter.v1");

export function isBudgeted(adapter: Adapter): boolean {
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
    // Callers send `error.config` again: it must not hold this loop.
    if (adapter === undefined) delete config.adapter;
    else config.adapter = adapter;
    const send = (): ReturnType<Send> => senderOf(adapter, config, sibling, getAdapter)(config);
    return policy.run(
      {
        client: "axios",
        method: (config.method ?? "get").toUpperCase(),
        url: targetUrl(config),
        options: config.retryBudget,
        isReplayable: () => isReplayableBody(config.data),
        hasIdempotencyKey: () => config.headers.has("Idempotency-Key"),
        isAborted: () =>
          config.signal?.aborted === true || config.cancelToken?.reason !== undefined,
      },
      new AttemptRunner(config, send, sibling),
    );
  };
  return Object.assign(budgeted, { [mark]: true });
}

function senderOf(
  adapter: Adapter,
  config: Config,
  sibling: Sibling,
  getAdapter: GetAdapter | undefined,
): Send {
  if (typeof adapter === "function") return adapter as Send;
  if (getAdapter !== undefined && adapter !== undefined) return getAdapter(adapter, config);
  return sibling.sender(adapter);
}
