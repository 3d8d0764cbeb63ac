import { outgoing } from "@retry-budget/context";
import { createRetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, RetryAgent, request } from "undici";
import type { LayerPolicyName } from "./storm-layers-plan.js";

/** One layer that retries: what it calls is the next tier, and nothing else. */
export interface LayerClient {
  /** The status that it got at last. */
  send(original: string): Promise<number>;
  close(): Promise<void>;
}

/** Empty, as a long outage leaves it; short waits, as waiting is not what is counted. */
const budget: RetryPolicyOptions = { initial: 0, backoff: { base: 2, max: 10 } };

const dispatchers: Record<LayerPolicyName, (agent: Agent, next: string) => Dispatcher> = {
  attempts: (agent) =>
    new RetryAgent(agent, { maxRetries: 2, minTimeout: 2, maxTimeout: 10, throwOnError: false }),
  budgets: (agent) => agent.compose(retryBudget(createRetryPolicy(budget))),
  marks: (agent, next) => {
    const marks = outgoing({ origins: [next] });
    return agent.compose(retryBudget(createRetryPolicy({ ...budget, marks })));
  },
};

export function layerClient(policy: LayerPolicyName, next: string): LayerClient {
  const agent = new Agent();
  const dispatcher = dispatchers[policy](agent, next);
  return {
    send: async (original) => {
      const headers = { "x-original": original };
      const { statusCode, body } = await request(next, { dispatcher, headers });
      await body.dump();
      return statusCode;
    },
    close: () => agent.destroy(),
  };
}
