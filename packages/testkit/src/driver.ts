import type { Readable } from "node:stream";
import type { RetryBudgetRequestOptions, RetryPolicy } from "@retry-budget/core";

/** One request, in words that fit every client. */
export interface DriverRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
  /** Ms for one attempt. */
  readonly timeout?: number;
  readonly retryBudget?: false | RetryBudgetRequestOptions;
}

/** What the caller got. */
export interface Answer {
  readonly status: number | undefined;
  readonly body: string | undefined;
  /** The client's own result, or the error that it threw. */
  readonly result: unknown;
  readonly failed: boolean;
}

export interface DriverClient {
  send(url: string, request?: DriverRequest): Promise<Answer>;
  close(): Promise<void> | void;
}

/** A client with its adapter, for the contract suite. */
export interface Driver {
  readonly name: string;
  /** Whether its operation is HTTP to the adapter: methods, bodies and headers are seen. */
  readonly http: boolean;
  /** Whether it can be made to send a POST again. */
  readonly reissuesPost: boolean;
  /** Whether a body that breaks off fails the attempt, and not only the reading of the body. */
  readonly retriesTruncated: boolean;
  /** False where it knows no signals, and the driver ends a request in another way. */
  readonly takesSignal?: boolean;
  /** False where a fault of the client's keeps it from trying a refused connection again. */
  readonly retriesRefused?: boolean;
  /** Whether its own timers end an attempt at the deadline: they know nothing of the policy's clock. */
  readonly hasOwnTimers?: boolean;
  /** False where it hands a redirect to the caller. */
  readonly followsRedirects?: boolean;
  /** Whether it is the client's own error for a request that has taken too long. */
  isTimeout(error: unknown): boolean;
  /** @param wait ms between attempts, where the client has its own idea of that */
  create(policy: RetryPolicy | undefined, wait: number): DriverClient;
}
