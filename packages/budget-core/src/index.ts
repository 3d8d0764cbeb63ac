export { type BackoffFunction, type BackoffOptions, longestTimer } from "./backoff.js";
export type { Breaker, Breakers, Passage } from "./breaker.js";
export { type Budget, createBudget } from "./budget.js";
export type { BudgetOptions } from "./budget-options.js";
export type { Call, CallFacts, Denial } from "./call.js";
export { type Clock, resolveClock } from "./clock.js";
export { contain } from "./contain.js";
export { type BudgetsOptions, createBudgets } from "./create-budgets.js";
export type { Decision } from "./decide.js";
export type {
  EvictedEvent,
  ExhaustedEvent,
  OriginalEvent,
  RefusedEvent,
  ReplenishedEvent,
  RetryBudgetEvent,
  RetryEvent,
} from "./events.js";
export { expectInteger } from "./expect.js";
export { isToken } from "./is-token.js";
export { expectKey, socketKey } from "./key.js";
export type { Mark, Marks } from "./marks.js";
export { mistake } from "./mistake.js";
export { emptyBudget, unlimitedBudget } from "./null-budgets.js";
export type { Budgets, Classify, RetryPolicyOptions } from "./options.js";
export { originOf } from "./origin.js";
export type { OriginSnapshot } from "./origin-account.js";
export type { Outcome, ReadHeader } from "./outcome.js";
export { type OuterCall, outerCall, runInside } from "./outer-call.js";
export { createRetryPolicy, type RetryPolicy } from "./policy.js";
export { defaultRetryPolicy, policyOf } from "./policy-of.js";
export { type Refusal, type RefusalDetails, refusalCarrier, refusalOf } from "./refusal.js";
export { isReplayableBody, isStreamBody } from "./replayable-body.js";
export { expectRequestOptions, type RetryBudgetRequestOptions } from "./request-options.js";
export { resolveSettings } from "./resolve-settings.js";
export type { OnRetry, RetryContext } from "./retry-context.js";
export type { Attempt, Runner, Settled } from "./run.js";
export { createWarner, type Warn } from "./warnings.js";
