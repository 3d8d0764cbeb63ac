import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { type Servers, useServers } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher } from "undici";

export interface BudgetedAgent {
  readonly policy: RetryPolicy;
  readonly agent: Agent;
  readonly dispatcher: Dispatcher;
}

/** Servers and agents with a budget, which are closed after the test that asked for them. */
export function useBudgetedAgent(): Servers & {
  fixture(options?: RetryPolicyOptions, agentOptions?: Agent.Options): BudgetedAgent;
} {
  const servers = useServers();
  return {
    ...servers,
    fixture: (options = {}, agentOptions = {}) => {
      const policy = createRetryPolicy({ backoff: () => 1, ...options });
      const agent = new Agent(agentOptions);
      servers.afterwards(() => agent.destroy());
      return { policy, agent, dispatcher: agent.compose(retryBudget(policy)) };
    },
  };
}
