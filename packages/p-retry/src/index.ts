export type { Key, KeyOfError } from "./key.js";
export type { PRetryModule } from "./p-retry-module.js";
export {
  type BudgetedOptions,
  type BudgetedPRetry,
  type PRetryRequestOptions,
  type PRetrySettings,
  retryBudget,
} from "./retry-budget.js";
