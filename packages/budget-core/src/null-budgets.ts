import type { Budget } from "./budget.js";

/** Grants every retry: only the attempts of each request limit it. */
export const unlimitedBudget: Budget = Object.freeze({
  balance: Number.POSITIVE_INFINITY,
  deposit: () => undefined,
  withdraw: () => true,
  refund: () => undefined,
});

/** Grants no retry, whatever is deposited. */
export const emptyBudget: Budget = Object.freeze({
  balance: 0,
  deposit: () => undefined,
  withdraw: () => false,
  refund: () => undefined,
});
