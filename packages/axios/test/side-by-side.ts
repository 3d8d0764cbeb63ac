import { type AxiosRetryOptions, fromAxiosRetry, retryBudget } from "@retry-budget/axios";
import type { RetryPolicyOptions } from "@retry-budget/core";
import { type Reply, serve } from "@retry-budget/testkit";
import type { AxiosHeaders, AxiosInstance } from "axios";
import axiosRetry from "axios-retry";
import { describe } from "vitest";
import { bare } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

/** From axios 1.2 on: with those before, axios-retry's second attempt fails (retry-axios #205). */
export const describeSideBySide: ReturnType<typeof describe.skipIf> = describe.skipIf(
  axiosMinor < 2,
);

/** What the same options do under axios-retry and, translated, under a retry budget. */
export interface SideBySide<Result> {
  readonly theirs: Result;
  readonly ours: Result;
}

export async function sideBySide<Result>(
  options: AxiosRetryOptions,
  run: (instance: AxiosInstance) => Promise<Result>,
  own: RetryPolicyOptions<AxiosHeaders> = {},
): Promise<SideBySide<Result>> {
  const [theirs, ours] = [bare(), bare()];
  axiosRetry(theirs, options as object);
  retryBudget(ours, { ...fromAxiosRetry(options), ...own });
  return { theirs: await run(theirs), ours: await run(ours) };
}

/** How many requests a server gets that gives these replies. */
export async function hitsOf(
  options: AxiosRetryOptions,
  replies: readonly Reply[],
  send: (instance: AxiosInstance, url: string) => Promise<unknown> = (instance, url) =>
    instance.get(url),
): Promise<SideBySide<number>> {
  return sideBySide(options, async (instance) => {
    const server = await serve(...replies);
    await send(instance, server.url).catch(() => undefined);
    return server.hits.length;
  });
}
