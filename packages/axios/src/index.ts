export type { AxiosInstanceLike } from "./axios-instance.js";
export { type AxiosRetryOptions, fromAxiosRetry } from "./from-axios-retry.js";
export { type Attachment, type AxiosSettings, retryBudget } from "./retry-budget.js";
