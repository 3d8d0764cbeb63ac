import type { OriginSnapshot, RetryPolicyOptions } from "@retry-budget/core";
import type { AxiosRequestConfig } from "axios";
import type { Page } from "playwright-core";
import type { AdapterName, Ending } from "./kit.js";

export interface Sent extends Ending {
  readonly snapshot: readonly OriginSnapshot[];
}

/** Lets the page send one request under a policy of its own; only plain data gets there. */
export function send(
  page: Page,
  adapter: AdapterName,
  config: AxiosRequestConfig = {},
  options: RetryPolicyOptions = {},
): Promise<Sent> {
  return page.evaluate(
    async ({ adapter, config, options }) => {
      const { client, policy } = kit.connect(adapter, options);
      const ending = await kit.ended(client.request({ url: "/api", ...config }));
      return { ...ending, snapshot: policy.snapshot() };
    },
    { adapter, config, options },
  );
}
