import { Agent } from "node:http";
import { type Attachment, retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, type RetryPolicy, type RetryPolicyOptions } from "@retry-budget/core";
import { errorOf as anyErrorOf, type FlakyServer, status } from "@retry-budget/testkit";
import axios, {
  type AxiosAdapter,
  type AxiosError,
  type AxiosInstance,
  type CreateAxiosDefaults,
} from "axios";
import { onTestFinished } from "vitest";
import { axiosMinor } from "./axios-version.js";

/** axios 1.0 has one adapter for Node, and no names. */
export const adapters: readonly CreateAxiosDefaults[] =
  axiosMinor < 7 ? [{}] : [{ adapter: "http" }, { adapter: "fetch" }];

/** An instance whose connections end with the test. */
export function bare(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return axios.create({ httpAgent, proxy: false, ...defaults });
}

interface Fixture {
  readonly policy: RetryPolicy;
  readonly instance: AxiosInstance;
  readonly attachment: Attachment;
}

/** An instance with a budget of its own, which hardly waits. */
export function fixture(
  options: RetryPolicyOptions = {},
  defaults: CreateAxiosDefaults = {},
): Fixture {
  const policy = createRetryPolicy({ backoff: () => 1, ...options });
  const instance = bare(defaults);
  return { policy, instance, attachment: retryBudget(instance, policy) };
}

export const unavailable = status(503);
export const ok = status(200, { "content-type": "application/json" }, '{"fine":true}');
export const errorOf: (promise: Promise<unknown>) => Promise<AxiosError> = anyErrorOf<AxiosError>;
export const bodies = ({ hits }: FlakyServer): string[] => hits.map(({ body }) => String(body));

/** axios' own for Node; 1.0 has one only, and no names. */
export const httpAdapter: AxiosAdapter =
  axios.getAdapter?.("http") ?? (axios.defaults.adapter as AxiosAdapter);
