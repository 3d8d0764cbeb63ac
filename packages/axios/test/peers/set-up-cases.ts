import { errorOf, serve, status } from "@retry-budget/testkit";
import type { AxiosError, AxiosInstance } from "axios";
import { bare } from "../attached.js";
import { attemptsOf } from "./attempts-of.js";
import { attemptsText } from "./attempts-text.js";
import { attachPeer, type Peer, type PeerOptions } from "./peer.js";
import type { PeerCase } from "./peer-case.js";

const unavailable = status(503);
const get = (instance: AxiosInstance, url: string): Promise<unknown> => instance.get(url);
const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const throwing = (): never => {
  throw new Error("the condition's error");
};

/** What options, plugins and the application around them make of it. */
export const setUpCases: readonly PeerCase[] = [
  {
    title:
      "GET of a 503, with the number of retries explicitly `undefined` (by default 4, 4 and 3 attempts)",
    expected: {
      "axios-retry": "1 attempt",
      "retry-axios": "4 attempts",
      "retry-budget": "3 attempts",
    },
    measure: (peer) =>
      attemptsOf(peer, unavailable, get, {
        "axios-retry": { retries: undefined },
        "retry-axios": { retry: undefined },
        "retry-budget": { maxAttempts: undefined },
      }),
  },
  {
    title: "GET of a 503, attached twice",
    expected: {
      "axios-retry": "3 attempts",
      "retry-axios": "3 attempts",
      "retry-budget": "3 attempts",
    },
    measure: (peer) => attemptsBeside(peer, peer),
  },
  {
    title: "GET of a 503, beside axios-retry (axios-retry itself: beside retry-axios)",
    expected: {
      "axios-retry": "5 attempts",
      "retry-axios": "5 attempts",
      "retry-budget": "3 attempts",
    },
    measure: (peer) => attemptsBeside(peer, peer === "axios-retry" ? "retry-axios" : "axios-retry"),
  },
  {
    title: "GET of a 503, whose `error.config` is then sent again (axios-retry #59)",
    expected: {
      "axios-retry": "1 attempt",
      "retry-axios": "1 attempt",
      "retry-budget": "3 attempts",
    },
    measure: async (peer) => {
      const { url, hits } = await serve(unavailable);
      const instance = attached(peer);
      const { config } = await errorOf<AxiosError>(instance.get(url));
      const { length } = hits;
      await errorOf(instance.request(config ?? {}));
      return attemptsText(hits.length - length);
    },
  },
  {
    title: "GET of a 503, and how often a request interceptor runs (axios-retry #246, #264)",
    expected: { "axios-retry": times(3), "retry-axios": times(3), "retry-budget": times(1) },
    measure: async (peer) => {
      let ran = 0;
      await attemptsOf(peer, unavailable, (instance, url) => {
        instance.interceptors.request.use((config) => {
          ran++;
          return config;
        });
        return instance.get(url);
      });
      return times(ran);
    },
  },
  {
    title: "GET of a 503, and a condition that throws: what the caller gets",
    expected: {
      "axios-retry": "the condition's error",
      "retry-axios": "the condition's error",
      "retry-budget": "the 503",
    },
    measure: async (peer) => {
      const { url } = await serve(unavailable);
      const instance = attached(peer, {
        "axios-retry": { retryCondition: throwing },
        "retry-axios": { shouldRetry: throwing },
        "retry-budget": { classify: throwing },
      });
      const { message, response } = await errorOf<AxiosError>(instance.get(url));
      return response === undefined ? message : `the ${response.status}`;
    },
  },
  {
    title: "a hundred GETs, one after the other, of nothing but 503",
    expected: {
      "axios-retry": "300 requests",
      "retry-axios": "300 requests",
      "retry-budget": "119 requests",
    },
    measure: async (peer) => {
      const { url, hits } = await serve(unavailable);
      const instance = attached(peer);
      for (let sent = 0; sent < 100; sent++) await errorOf(instance.get(url));
      return `${hits.length} requests`;
    },
  },
];

function attached(peer: Peer, options: PeerOptions = {}): AxiosInstance {
  const instance = bare();
  attachPeer(peer, instance, options);
  return instance;
}

function attemptsBeside(peer: Peer, other: Peer): Promise<string> {
  return attemptsOf(peer, unavailable, (instance, url) => {
    attachPeer(other, instance);
    return instance.get(url);
  });
}
