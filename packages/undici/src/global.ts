export { type GlobalRetryBudget, globalRetryBudget } from "./global-retry-budget.js";
export { requestOptions } from "./request-options.js";
export type { UndiciSettings } from "./undici-settings.js";
