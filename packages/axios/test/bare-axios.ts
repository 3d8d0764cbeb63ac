import { Agent } from "node:http";
import axios, { type AxiosInstance, type CreateAxiosDefaults } from "axios";
import { onTestFinished } from "vitest";

/** An instance with nothing attached, whose connections end with the test. */
export function bareAxios(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return axios.create({ httpAgent, proxy: false, ...defaults });
}
