import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget, type UndiciSettings } from "@retry-budget/undici";
import { Agent, type Dispatcher } from "undici";
import { onTestFinished } from "vitest";

export interface BudgetedAgent {
  readonly policy: RetryPolicy;
  readonly agent: Agent;
  readonly dispatcher: Dispatcher;
}

/** An agent with a budget, which ends with the test. */
export function budgetedAgent(
  options: RetryPolicyOptions = {},
  agentOptions: Agent.Options = {},
  settings: UndiciSettings = {},
): BudgetedAgent {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  const agent = new Agent(agentOptions);
  onTestFinished(() => agent.destroy());
  return { policy, agent, dispatcher: agent.compose(retryBudget(policy, settings)) };
}
