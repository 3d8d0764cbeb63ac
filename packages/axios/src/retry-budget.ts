import {
  mistake,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { AxiosHeaders } from "axios";
import { type AxiosInstanceLike, expectInstance, type GetAdapter } from "./axios-instance.js";
import { budgetAdapter, isBudgeted, restoreAdapter } from "./budget-adapter.js";
import { Sibling } from "./sibling.js";

declare module "axios" {
  interface AxiosRequestConfig {
    /** False opts this request out of the retry budget; an object sets its own options. */
    retryBudget?: false | RetryBudgetRequestOptions | undefined;
  }
}

/** What is the adapter's own, and not the policy's. */
export interface AxiosSettings {
  /**
   * `axios.getAdapter` of the axios that made the instance: spares each request a detour.
   * @default the instance's own, which only the static `axios` has
   */
  readonly getAdapter?: unknown;
}

/** What attaching gives. */
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
  optionsOrPolicy?: RetryPolicyOptions<AxiosHeaders> | RetryPolicy,
  settings: AxiosSettings = {},
): Attachment {
  const axios = expectInstance(instance);
  const { getAdapter = axios.getAdapter } = resolveSettings(settings, {
    getAdapter: expectGetAdapter,
  });
  const policy = policyOf(optionsOrPolicy);
  const sibling = new Sibling(axios);
  const { request, response } = axios.interceptors;
  const requestId = request.use(
    (config) => {
      // Attached twice: the first to act keeps the request.
      if (isBudgeted(config.adapter)) return config;
      const adapter = budgetAdapter(policy, sibling, config.adapter, getAdapter);
      // An interceptor before this one may have frozen it.
      return Reflect.set(config, "adapter", adapter) ? config : { ...config, adapter };
    },
    null,
    // An asynchronous one would make the instance's whole chain asynchronous.
    { synchronous: true },
  );
  // A request that was ended before its adapter was called still holds ours.
  const responseId = response.use(null, (error) => {
    restoreAdapter(Object(Object(error).config));
    return Promise.reject(error);
  });
  return {
    detach: () => {
      request.eject(requestId);
      response.eject(responseId);
    },
  };
}

function expectGetAdapter(field: string, value: unknown): GetAdapter {
  // Not an adapter that it gave, which would try to send the question.
  if (typeof value === "function" && !("adapterName" in value)) return value as GetAdapter;
  throw mistake(field, "axios.getAdapter", value);
}
