import { Agent as HttpAgent } from "node:http";
import { retryBudget } from "@retry-budget/axios";
import type { RetryPolicy } from "@retry-budget/core";
import axios, { type AxiosInstance, type AxiosRequestConfig } from "axios";
import { Agent } from "undici";
import { cancelTokenOf, subscribersOf } from "./cancel-tokens.js";
import { listenersOf } from "./listeners.js";
import { isAxiosFault, sendByAxios } from "./soak-axios-answer.js";
import type { SoakClient, SoakOrigins } from "./soak-clients.js";
import { type SoakFlavour, soakFlavours } from "./soak-flavours.js";
import type { SoakCall } from "./soak-plan.js";
import type { SoakTally } from "./soak-tally.js";
import { watchRequests } from "./watch-requests.js";

const sockets = 50;
const bodies: Readonly<Record<SoakCall["method"], unknown>> = {
  GET: undefined,
  PUT: { a: "small object" },
  POST: "a small text",
};

export function makeAxios(policy: RetryPolicy, origins: SoakOrigins, tally: SoakTally): SoakClient {
  const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: sockets });
  const fetchAgent = new Agent({ connections: sockets });
  const instance = axios.create({ httpAgent, proxy: false });
  retryBudget(instance, policy);
  countEnds(instance, tally);
  const flavours = soakFlavours(fetchAgent);
  const neverCancelled = new axios.CancelToken(() => undefined);
  const informed = new Map<string, () => void>();
  const unwatch = watchRequests({
    created: (origin) => {
      if (origin === origins.refusing) tally.refusedAttempts++;
    },
    informed: (name) => informed.get(name)?.(),
  });
  return {
    listeners: () => [
      ...listenersOf({ httpAgent, fetchAgent }),
      ...Array.from({ length: subscribersOf(neverCancelled) }, () => "cancelToken"),
    ],
    send: async ({ index, isRefused, method, faults, ...call }, signal, abort) => {
      const { config, cancels, tellsWritten } = flavours[index % flavours.length] as SoakFlavour;
      const name = [index, ...faults].join(" ");
      // A connection that is refused would race the abort.
      if (tellsWritten && !isRefused) abort("early");
      if (tellsWritten) informed.set(name, () => abort("announced"));
      const cancelToken = call.abort === undefined ? neverCancelled : cancelTokenOf(signal);
      const request: AxiosRequestConfig = {
        ...config,
        ...(cancels === "signal" ? { signal } : { cancelToken }),
        url: `${isRefused ? origins.refusing : origins.server}/`,
        method,
        data: bodies[method],
        headers: { "x-soak": name },
        validateStatus: (status) => {
          // With its Retry-After the call waits from now on for half a minute, unless it is over.
          if (status === 503) abort("announced");
          return status < 300;
        },
      };
      return sendByAxios(instance, request, abort).finally(() => informed.delete(name));
    },
    isAbort: axios.isCancel,
    isExpected: isAxiosFault,
    close: async () => {
      unwatch();
      httpAgent.destroy();
      await fetchAgent.close();
    },
  };
}

/** To be called after the adapter is attached, so that what counts is what the caller is told. */
function countEnds({ interceptors }: AxiosInstance, tally: SoakTally): void {
  interceptors.response.use(
    (response) => {
      tally.ends++;
      return response;
    },
    (error) => {
      tally.ends++;
      return Promise.reject(error);
    },
  );
}
