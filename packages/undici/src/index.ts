export { requestOptions } from "./request-options.js";
export { retryBudget } from "./retry-budget.js";
export type { UndiciSettings } from "./undici-settings.js";
