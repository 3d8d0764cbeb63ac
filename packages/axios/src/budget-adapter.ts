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
    const known = (): Adapter => knownAdapter(attached, adapter, config);
    const runner = new AttemptRunner(config, send, sibling, known);
    return policy.run(callFacts(config, instance), runner);
  };
  return markAdapter(budgeted, adapter);
}

function senderOf(attached: Attached, adapter: Adapter, config: Config): Send {
  const known = knownAdapter(attached, adapter, config);
  return typeof known === "function" ? (known as Send) : attached.sibling.sender(adapter);
}

/** The function that sends, where it can be known. */
function knownAdapter({ getAdapter }: Attached, adapter: Adapter, config: Config): Adapter {
  const [first] = Array.isArray(adapter) ? adapter : [adapter];
  if (typeof first === "function") return first;
  // Without a name axios takes its own default, which only its dispatch knows.
  return getAdapter !== undefined && adapter ? getAdapter(adapter, config) : adapter;
}
