import type { Situation } from "./decide.js";
import { mostAttempts } from "./terms.js";
import { warnOfLayer } from "./warnings.js";

// Layers above that tell, by a header of their requests, that they send them again. The header may
// have been set by hand or have come from afar: the worst that it can do is to refuse a retry.
// In browsers, where such layers send by `fetch`, `known-layers.browser.ts` takes the place of this file.

/** One of them. */
export interface KnownLayer {
  readonly name: string;
  /** What turns its retries off. */
  readonly setting: string;
  readonly header: string;
  /** Found in the header of a request that it has sent, or will send, again. */
  readonly sign: RegExp;
}

const layers: readonly KnownLayer[] = [
  {
    name: "The SDK of OpenAI, Anthropic or another made by Stainless",
    setting: "maxRetries: 0",
    header: "x-stainless-retry-count",
    sign: /^0*[1-9]/,
  },
  {
    name: "The AWS SDK",
    setting: "maxAttempts: 1",
    header: "amz-sdk-request",
    // What it would send again it says from the first attempt on.
    sign: /\b(?:attempt|max)=0*(?:[2-9]|1\d)/,
  },
  {
    name: "Google's client library",
    setting: "autoRetry: false",
    header: "x-goog-api-client",
    sign: /\bgccl-attempt-count\/0*(?:[2-9]|1\d)/,
  },
];

/** Whether a layer above sends this request again; warns of it once. */
export function isRetriedAbove({ parts, facts, terms, marks }: Situation): boolean {
  // With a single attempt there is nothing to multiply.
  if (!parts.settings.oneLayer || mostAttempts(facts, terms) === 1) return false;
  const layer = layers.find(({ header, sign }) => {
    const value = facts.requestHeader?.(header) ?? "";
    // Of some clients the headers are seen as they were sent, with our own marks of such a name.
    return value !== marks?.[header] && sign.test(String(value));
  });
  if (layer !== undefined) warnOfLayer(parts.warn, layer);
  return layer !== undefined;
}
