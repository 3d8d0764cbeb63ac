import type { KnownLayer } from "./known-layers.js";
import { show } from "./mistake.js";
import { textOf } from "./text-of.js";
import type { Warn } from "./warner.js";

// All that the process is warned of. In browsers `warnings.browser.ts` takes the place of this file.
export { warnOfContradictions } from "./warn-of-contradictions.js";
export { warnOfRepetition } from "./warn-of-repetition.js";
export { createWarner, type Warn } from "./warner.js";

export function warnOfThrow(warn: Warn, name: string, error: unknown): void {
  warn(codeOf(name), `\`${name}\` of the retry budget threw: ${textOf(error)}`);
}

const answers = {
  backoff: "a number of ms from 0",
  "breakers.of": "a circuit breaker or undefined",
  "breakers.pass": "a passage, at once",
  classify: '"transient", "permanent" or undefined',
  "clock.now": "ms",
  "clock.wall": "ms",
  marks: "headers, as text by name, or undefined",
};

export function warnOfAnswer(warn: Warn, name: keyof typeof answers, given: unknown): void {
  warn(codeOf(name), `Expected \`${name}\` to give ${answers[name]}, got ${show(given)}.`);
}

export function warnOfOutcome(warn: Warn, error: unknown): void {
  warn("RETRY_BUDGET_OUTCOME", `The retry budget could not read an outcome: ${textOf(error)}`);
}

export function warnOfOrigin(warn: Warn): void {
  warn(
    "RETRY_BUDGET_ORIGIN",
    "The origin of a request is not known. Such requests share the budget `unknown`; name the " +
      "origin in the settings of the adapter, or the request's own `retryBudget: { key }`.",
  );
}

export function warnOfLayer(warn: Warn, { name, setting }: KnownLayer): void {
  warn(
    "RETRY_BUDGET_LAYER",
    `${name} retries requests that go through the retry budget, which stands down: two layers of ` +
      `retries multiply. Turn those of the SDK off by \`${setting}\`.`,
    name,
  );
}

/** A mistake that is met at request time is never thrown. */
export function warnOfRequestOptions(warn: Warn, name: string, error: unknown): void {
  const field = name === "" ? "retryBudget" : `retryBudget.${name}`;
  warn("RETRY_BUDGET_OPTIONS", `${textOf(error)} It was left out.`, field);
}

function codeOf(name: string): string {
  return `RETRY_BUDGET_${name.replace(/\..*/, "").toUpperCase()}`;
}
