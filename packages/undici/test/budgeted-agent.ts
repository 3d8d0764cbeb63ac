import type { RetryPolicyOptions } from "@retry-budget/core";
import type { UndiciSettings } from "@retry-budget/undici";
import { Agent } from "undici";
import { type Budgeted, budgeted } from "./budgeted.js";

export interface BudgetedAgent extends Budgeted {
  readonly agent: Agent;
}

/** An agent with a budget, which ends with the test. */
export function budgetedAgent(
  options: RetryPolicyOptions = {},
  agentOptions: Agent.Options = {},
  settings: UndiciSettings = {},
): BudgetedAgent {
  const agent = new Agent(agentOptions);
  return { agent, ...budgeted(agent, options, settings) };
}
