import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import type { AxiosInstance } from "axios";
import axiosRetry from "axios-retry";
import { attach } from "retry-axios";

export const peers = ["axios-retry", "retry-axios", "retry-budget"] as const;

/** One of those that are compared. */
export type Peer = (typeof peers)[number];

/** Options of each peer, in its own words. */
export type PeerOptions = Partial<Record<Peer, object>>;

/** Gives the instance two retries, with next to no wait. */
export function attachPeer(peer: Peer, instance: AxiosInstance, options: PeerOptions = {}): void {
  if (peer === "axios-retry") axiosRetry(instance, { retries: 2, ...options[peer] });
  else if (peer === "retry-axios") {
    instance.defaults.raxConfig = { retry: 2, retryDelay: 1, ...options[peer] };
    attach(instance);
  } else retryBudget(instance, createRetryPolicy({ backoff: () => 1, ...options[peer] }));
}
