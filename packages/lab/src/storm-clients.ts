import { Agent as HttpAgent } from "node:http";
import { retryBudget as budgetAxios } from "@retry-budget/axios";
import { createRetryPolicy } from "@retry-budget/core";
import { retryBudget as budgetGot } from "@retry-budget/got";
import { retryBudget as budgetPRetry } from "@retry-budget/p-retry";
import { retryBudget as budgetUndici } from "@retry-budget/undici";
import axios from "axios";
import axiosRetry from "axios-retry";
import got, { type Got } from "got";
import pRetry, { AbortError } from "p-retry";
import { Agent, type Dispatcher, RetryAgent, request } from "undici";
import type { ClientName, PolicyName } from "./storm-plan.js";

export interface StormClient {
  /** Rejects or resolves as the client does; true if the response was a 200. */
  send(original: string): Promise<boolean>;
  close(): Promise<void> | void;
}

type Make = (policy: PolicyName, url: string) => StormClient;

const makeUndici: Make = (policy, url) => {
  const agent = new Agent();
  const dispatchers: Record<PolicyName, () => Dispatcher> = {
    bare: () => agent,
    // Its five retries, with shorter waits: by default they take 15.5 s.
    own: () => new RetryAgent(agent, { minTimeout: 20, maxTimeout: 200 }),
    budget: () => agent.compose(budgetUndici(createRetryPolicy())),
  };
  const dispatcher = dispatchers[policy]();
  return {
    send: async (original) => {
      const { statusCode, body } = await request(url, {
        dispatcher,
        headers: { "x-original": original },
      });
      await body.dump();
      return statusCode === 200;
    },
    close: () => agent.destroy(),
  };
};

const makeAxios: Make = (policy, url) => {
  const httpAgent = new HttpAgent({ keepAlive: true });
  const instance = axios.create({ httpAgent, proxy: false });
  if (policy === "own") axiosRetry(instance);
  if (policy === "budget") budgetAxios(instance, createRetryPolicy());
  return {
    send: async (original) => {
      const response = await instance.get(url, { headers: { "x-original": original } });
      return response.status === 200;
    },
    close: () => httpAgent.destroy(),
  };
};

const makeGot: Make = (policy, url) => {
  const http = new HttpAgent({ keepAlive: true });
  const base = got.extend({ agent: { http } });
  const clients: Record<PolicyName, () => Got> = {
    bare: () => base.extend({ retry: { limit: 0 } }),
    own: () => base,
    budget: () => base.extend(budgetGot(createRetryPolicy())),
  };
  const client = clients[policy]();
  return {
    send: async (original) => {
      const response = await client(url, { headers: { "x-original": original } });
      return response.statusCode === 200;
    },
    close: () => http.destroy(),
  };
};

const makePRetry: Make = (policy, url) => {
  const budgeted = budgetPRetry({ pRetry, AbortError }, createRetryPolicy(), { key: url });
  const operation = async (original: string): Promise<boolean> => {
    const response = await fetch(url, { headers: { "x-original": original } });
    await response.arrayBuffer();
    // fetch does not reject by itself.
    if (!response.ok) throw new Error(`status ${response.status}`);
    return true;
  };
  const senders: Record<PolicyName, (original: string) => Promise<boolean>> = {
    bare: operation,
    // Its default of ten retries takes 17 minutes.
    own: (original) => pRetry(() => operation(original), { retries: 2 }),
    budget: (original) => budgeted(() => operation(original), { retries: 2 }),
  };
  return { send: senders[policy], close: () => undefined };
};

export const makeClient: Record<ClientName, Make> = {
  undici: makeUndici,
  axios: makeAxios,
  got: makeGot,
  "p-retry": makePRetry,
};
