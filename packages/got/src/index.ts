export { retryBudget } from "./retry-budget.js";
