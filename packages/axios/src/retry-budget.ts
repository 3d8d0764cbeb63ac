import {
  mistake,
  policyOf,
  type RetryBudgetRequestOptions,
  type RetryPolicy,
  type RetryPolicyOptions,
  resolveSettings,
} from "@retry-budget/core";
import type { AxiosHeaders } from "axios";
import { chosenAdapter, isMarked, restoreAdapter } from "./adapter-mark.js";
import { AdapterWatch } from "./adapter-watch.js";
import { type AxiosInstanceLike, expectInstance, type GetAdapter } from "./axios-instance.js";
import { budgetAdapter } from "./budget-adapter.js";
import { getAdapterOf } from "./get-adapter-of.js";
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
   * `axios.getAdapter` of the copy of axios that made the instance: spares each request a detour.
   * @default that of the axios which is found beside this package, if it is the same copy
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
  const { getAdapter = getAdapterOf(axios) } = resolveSettings(settings, {
    getAdapter: expectGetAdapter,
  });
  const policy = policyOf(optionsOrPolicy);
  const attached = { instance: axios, policy, sibling: new Sibling(axios), getAdapter };
  const watch = new AdapterWatch();
  const { request, response } = axios.interceptors;
  const requestId = request.use(
    (config) => {
      watch.note(chosenAdapter(config.adapter));
      // Attached twice: the first to act keeps the request.
      if (isMarked(config.adapter)) return config;
      // axios ends it before any adapter, and before 1.19 past the interceptor that gives it back.
      if (config.signal?.aborted || config.cancelToken?.reason) return config;
      const adapter = budgetAdapter(attached, config.adapter);
      // An interceptor before this one may have frozen it.
      return Reflect.set(config, "adapter", adapter) ? config : { ...config, adapter };
    },
    null,
    // An asynchronous one would make the instance's whole chain asynchronous.
    { synchronous: true },
  );
  const look = (subject: unknown): void => {
    try {
      watch.check(subject);
      // A request that was ended before its adapter was called still holds ours.
      restoreAdapter(Object(Object(subject).config));
    } catch {
      // A getter of somebody's threw: what came is the caller's all the same.
    }
  };
  const responseId = response.use(
    (result) => {
      look(result);
      return result;
    },
    (error) => {
      look(error);
      return Promise.reject(error);
    },
  );
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
