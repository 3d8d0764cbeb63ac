// Runs in the workers of a page, which load the same script as the page does.
import type { AdapterName, Ending } from "./kit.js";

/** What a page asks its worker to send. */
export interface Question {
  readonly adapter: AdapterName;
  readonly url: string;
}

export interface Answer {
  readonly ending: Ending;
  readonly origins: readonly string[];
}

interface WorkerScope {
  onmessage(event: { readonly data: Question }): Promise<void>;
  postMessage(answer: Answer): void;
}

const scope = globalThis as unknown as WorkerScope;

// The page has no question for itself.
if (!("document" in globalThis))
  scope.onmessage = async ({ data: { adapter, url } }) => {
    const { client, policy } = kit.connect(adapter);
    const ending = await kit.ended(client.get(url));
    scope.postMessage({ ending, origins: policy.snapshot().map(({ origin }) => origin) });
  };
