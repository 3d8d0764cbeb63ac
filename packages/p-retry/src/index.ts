export {
  type BudgetedOptions,
  type BudgetedPRetry,
  type PRetrySettings,
  retryBudget,
} from "./retry-budget.js";
