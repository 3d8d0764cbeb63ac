import type { Refusal } from "./refusal.js";

export interface EventFields {
  /** Version of the payload. */
  readonly v: 1;
  /** The key of the budget. Never a path, query, header or credential. */
  readonly origin: string;
  /** Whole retries left in the budget. */
  readonly balance: number;
}

export interface CallEventFields extends EventFields {
  /** Name of the adapter. */
  readonly client: string;
  readonly method: string;
  /** Number of the attempt, from 1; in a refusal 0 where none was made. */
  readonly attempt: number;
}

/** A first attempt was sent. */
export interface OriginalEvent extends CallEventFields {
  readonly type: "original";
}

/** A retry was sent. */
export interface RetryEvent extends CallEventFields {
  readonly type: "retry";
  /** The wait before it, in ms. */
  readonly delay: number;
}

/** A failure was handed to the caller instead of being retried. */
export interface RefusedEvent extends CallEventFields {
  readonly type: "refused";
  readonly refusal: Refusal;
  /** The wait that the server asked for, in ms, where it asked for one. */
  readonly retryAfter?: number;
}

/** The budget has fallen below one token: an edge, not every refusal. */
export interface ExhaustedEvent extends EventFields {
  readonly type: "exhausted";
}

/** The budget has risen to one token again. */
export interface ReplenishedEvent extends EventFields {
  readonly type: "replenished";
}

/** The budget of this origin was taken over by a new one. */
export interface EvictedEvent extends EventFields {
  readonly type: "evicted";
}

/** What `subscribe` and the channels `retry-budget:<type>` hand over. */
export type RetryBudgetEvent =
  | OriginalEvent
  | RetryEvent
  | RefusedEvent
  | ExhaustedEvent
  | ReplenishedEvent
  | EvictedEvent;
