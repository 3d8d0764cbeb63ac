import { retryBudget } from "@retry-budget/axios";
import axios, { type AxiosInstance, type CreateAxiosDefaults } from "axios";
import axiosRetry from "axios-retry";

/** The second bare one is the noise: what it adds to the first is nothing. */
export const axiosClientNames = [
  "bare",
  "bare again",
  "axios-retry",
  "ours, as on the static axios",
  "ours, getAdapter passed",
  "ours, nothing passed",
] as const;

export type AxiosClientName = (typeof axiosClientNames)[number];

export function isOurs(name: AxiosClientName): boolean {
  return name.startsWith("ours");
}

const { getAdapter } = axios;

const attach: Readonly<Record<AxiosClientName, (instance: AxiosInstance) => void>> = {
  bare: () => undefined,
  "bare again": () => undefined,
  "axios-retry": (instance) => axiosRetry(instance),
  // An instance of its own, since the others are made of the static one.
  "ours, as on the static axios": (instance) =>
    retryBudget(Object.assign(instance, { getAdapter })),
  "ours, getAdapter passed": (instance) => retryBudget(instance, undefined, { getAdapter }),
  "ours, nothing passed": (instance) => retryBudget(instance),
};

export function axiosClient(name: AxiosClientName, defaults: CreateAxiosDefaults): AxiosInstance {
  const instance = axios.create(defaults);
  attach[name](instance);
  return instance;
}
