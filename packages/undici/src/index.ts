export { retryBudget, type UndiciSettings } from "./retry-budget.js";
