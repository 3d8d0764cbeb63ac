export { retryBudget } from "./dist/index.js";
