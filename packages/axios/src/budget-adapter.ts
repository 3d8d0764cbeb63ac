import type { RetryPolicy } from "@retry-budget/core";
import { markAdapter, restoreAdapter } from "./adapter-mark.js";
import { AttemptRunner } from "./attempt-runner.js";
import type { Adapter, Config, GetAdapter, Instance, Send } from "./axios-instance.js";
import { callFacts } from "./call-facts.js";
import { isReissue } from "./other-layer.js";
import type { Sibling } from "./sibling.js";

/** What all requests of an attached instance have in common. */
export interface Attached {
  readonly instance: Instance;
  readonly policy: RetryPolicy;
  readonly sibling: Sibling;
  readonly getAdapter: GetAdapter | undefined;
}

/** An adapter that sends through the given one, once or more often. */
export function budgetAdapter(attached: Attached, adapter: Adapter): Send {
  const { instance, policy, sibling } = attached;
  const budgeted: Send = (config) => {
    restoreAdapter(config);
    const send: Send = (own) => senderOf(attached, adapter, own)(own);
    if (isReissue(config)) return send(config);
    return policy.run(callFacts(config, instance), new AttemptRunner(config, send, sibling));
  };
  return markAdapter(budgeted, adapter);
}

function senderOf({ sibling, getAdapter }: Attached, adapter: Adapter, config: Config): Send {
  const [first] = Array.isArray(adapter) ? adapter : [adapter];
  if (typeof first === "function") return first as Send;
  // Without a name axios takes its own default, which only its dispatch knows.
  if (getAdapter !== undefined && adapter) return getAdapter(adapter, config);
  return sibling.sender(adapter);
}
