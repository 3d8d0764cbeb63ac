import { retryBudget } from "@retry-budget/axios";
import axios, { type AxiosInstance, type CreateAxiosDefaults } from "axios";
import axiosRetry from "axios-retry";

/** The second bare one is the noise: what it adds to the first is nothing. */
export const axiosClientNames = ["bare", "bare again", "axios-retry", "ours"] as const;

export type AxiosClientName = (typeof axiosClientNames)[number];

const attach: Readonly<Record<AxiosClientName, (instance: AxiosInstance) => void>> = {
  bare: () => undefined,
  "bare again": () => undefined,
  "axios-retry": (instance) => axiosRetry(instance),
  ours: (instance) => retryBudget(instance),
};

export function axiosClient(name: AxiosClientName, defaults: CreateAxiosDefaults): AxiosInstance {
  const instance = axios.create(defaults);
  attach[name](instance);
  return instance;
}
