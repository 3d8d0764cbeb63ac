import { createWarner } from "@retry-budget/core";

// For the process: some make an instance for each request.
const warn = createWarner();

export function warnOfLayer(name: string): void {
  warn(
    "RETRY_BUDGET_LAYER",
    `${name} is attached to the same axios instance as the retry budget, which stands down: two ` +
      `layers of retries multiply. Take ${name} off this instance to have a budget.`,
    name,
  );
}

export function warnOfAdapter(): void {
  warn(
    "RETRY_BUDGET_ADAPTER",
    "A request went past the retry budget: an interceptor has set `config.adapter` after it. " +
      "Attach the retry budget before such interceptors are added, as axios runs the last one first.",
  );
}

export function warnOfMarks(): void {
  warn(
    "RETRY_BUDGET_MARKS",
    "The `marks` of the retry budget were left out of a request: its adapter follows redirects " +
      "unseen, and would take them to servers that were not named. Only axios' adapter for " +
      '`node:http` tells of them: set `adapter: "http"`, and no `transport`.',
  );
}
