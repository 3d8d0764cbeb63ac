export type { AxiosInstanceLike } from "./axios-instance.js";
export { type Attachment, type AxiosSettings, retryBudget } from "./retry-budget.js";
