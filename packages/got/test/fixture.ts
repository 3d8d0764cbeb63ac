import { setImmediate } from "node:timers/promises";
import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/got";
import { errorOf as anyErrorOf, status } from "@retry-budget/testkit";
import got, {
  type ExtendOptions,
  type Got,
  type OptionsInit,
  type RequestError,
  type Response,
} from "got";
import { afterEach, beforeEach, expect } from "vitest";
import { gotMajor } from "./got-version.js";

const stray: unknown[] = [];
const noteStray = (error: unknown): void => {
  stray.push(error);
};

/** got-39: no scenario may produce an exception or a rejection that bare got would not (#1489). */
export function failOnStrayErrors(): void {
  beforeEach(() => {
    process.on("uncaughtException", noteStray);
    process.on("unhandledRejection", noteStray);
  });
  afterEach(async () => {
    await setImmediate();
    process.off("uncaughtException", noteStray);
    process.off("unhandledRejection", noteStray);
    expect(stray.splice(0)).toEqual([]);
  });
}

/** got's own rules, without its waits. */
export const fast: ExtendOptions = {
  retry: { calculateDelay: ({ computedValue }) => computedValue && 2 },
};

interface Fixture {
  readonly policy: RetryPolicy;
  readonly plugin: ExtendOptions;
  /** Hardly waits. */
  readonly client: Got;
}

export function fixture(options: RetryPolicyOptions = {}): Fixture {
  const policy = createRetryPolicy(options);
  const plugin = retryBudget(policy);
  return { policy, plugin, client: got.extend(plugin, fast) };
}

export const unavailable = status(503);
export const ok = status(200);
export const errorOf: (promise: Promise<unknown>) => Promise<RequestError> =
  anyErrorOf<RequestError>;

/** By origin. */
export const net = (policy: RetryPolicy): unknown =>
  policy.snapshot().map(({ originals, retries, balance }) => ({ originals, retries, balance }));

interface Abortable {
  readonly error: Promise<RequestError>;
  abort(): void;
}

/** A request that can be ended by its signal; got 11 has none, but a promise that can be cancelled. */
export function abortable(client: Got, url: string, options: OptionsInit = {}): Abortable {
  const controller = new AbortController();
  const { signal } = controller;
  if (gotMajor > 11) {
    return {
      error: errorOf(client(url, { ...options, signal }) as Promise<unknown>),
      abort: () => controller.abort(),
    };
  }
  const promise = client(url, options) as Promise<unknown> & { cancel(): void };
  return { error: errorOf(promise), abort: () => promise.cancel() };
}

export const abortName: string = gotMajor > 11 ? "AbortError" : "CancelError";

/** Of what `paginate` is given: got 11 gives the response itself. */
export function pageOf(given: unknown): Response {
  const { response } = given as { response?: Response };
  return response ?? (given as Response);
}
