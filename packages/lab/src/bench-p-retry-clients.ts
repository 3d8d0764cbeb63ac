import { retryBudget } from "@retry-budget/p-retry";

export type PRetryModule = typeof import("p-retry");
type PRetry = PRetryModule["default"];

/** The second bare one is the noise: what it adds to the first is nothing. */
export const pRetryClientNames = ["bare", "bare again", "ours"] as const;

export type PRetryClientName = (typeof pRetryClientNames)[number];

/** @param module p-retry of any version */
export function pRetryClient(name: PRetryClientName, module: PRetryModule): PRetry {
  const { default: pRetry, AbortError } = module;
  return name === "ours" ? retryBudget({ pRetry, AbortError }) : pRetry;
}
