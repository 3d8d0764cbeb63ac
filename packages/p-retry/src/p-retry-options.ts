/** What the callbacks of p-retry 7 and later get; those of 5 and 6 get the error, decorated. */
export interface FailureContext {
  readonly error: Error;
  readonly retriesLeft: number;
  readonly retriesConsumed: number;
  /** Since p-retry 8. */
  readonly retryDelay?: number;
}

export type Failure = FailureContext | (Error & { readonly retriesLeft?: number });

/** What the adapter reads of p-retry's options. Each major has these, or ignores them. */
export interface PRetryOptions {
  readonly retries?: number;
  readonly factor?: number;
  readonly minTimeout?: number;
  readonly maxTimeout?: number;
  readonly randomize?: boolean;
  /** Until p-retry 6: `retries` is no limit. */
  readonly forever?: boolean;
  readonly signal?: AbortSignal;
  readonly onFailedAttempt?: (failure: Failure) => unknown;
  /** Since p-retry 6. */
  readonly shouldRetry?: (failure: Failure) => unknown;
  /** Since p-retry 7. */
  readonly shouldConsumeRetry?: unknown;
}
