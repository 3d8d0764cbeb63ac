import {
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import { type AxiosInstanceLike, expectInstance, type GetAdapter } from "./axios-instance.js";
import { budgetAdapter, isBudgeted } from "./budget-adapter.js";
import { Sibling } from "./sibling.js";

declare module "axios" {
  interface AxiosRequestConfig {
    /** False opts this request out of the retry budget; an object sets its own options. */
    retryBudget?: false | RetryBudgetRequestOptions;
  }
}

export interface AxiosSettings {
  /**
   * `axios.getAdapter` of the axios that made the instance: spares each request a detour.
   * @default the instance's own, which only the static `axios` has
   */
  readonly getAdapter?: unknown;
}

export interface Attachment {
  /** Takes the retry budget off the instance again; requests under way keep theirs. */
  detach(): void;
}

/**
 * Gives an axios instance a retry budget. Interceptors and transforms go on to run once per call.
 * Interceptors that set `config.adapter` have to be registered after it.
 * @throws TypeError that names the option and the value.
 */
export function retryBudget(
  instance: AxiosInstanceLike,
  optionsOrPolicy?: RetryPolicyOptions | RetryPolicy,
  settings: AxiosSettings = {},
): Attachment {
  const axios = expectInstance(instance);
  const { getAdapter = axios.getAdapter } = resolveSettings(settings, {
    getAdapter: expectGetAdapter,
  });
  const policy = policyOf(optionsOrPolicy);
  const sibling = new Sibling(axios);
  const { request } = axios.interceptors;
  const id = request.use(
    (config) => {
      const { adapter = axios.defaults.adapter } = config;
      // Attached twice: the first to act keeps the request.
      if (isBudgeted(adapter)) return config;
      config.adapter = budgetAdapter(policy, sibling, adapter, getAdapter);
      return config;
    },
    null,
    // An asynchronous one would make the instance's whole chain asynchronous.
    { synchronous: true },
  );
  return { detach: () => request.eject(id) };
}

function expectGetAdapter(field: string, value: unknown): GetAdapter {
  if (typeof value === "function") return value as GetAdapter;
  throw new TypeError(`Expected \`${field}\` to be axios.getAdapter, got ${String(value)}.`);
}
