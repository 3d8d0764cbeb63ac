import { createWarner } from "./warner.js";

const manyPolicies = 100;
const warn = /* @__PURE__ */ createWarner();
let lastOptions: unknown;
let inARow = 0;

/** A client made for each request starts with a full budget each time, and so limits nothing. */
export function warnOfRepetition(options: object): void {
  const fingerprint = fingerprintOf(options);
  inARow = fingerprint === lastOptions ? inARow + 1 : 1;
  lastOptions = fingerprint;
  if (inARow < manyPolicies) return;
  warn(
    "RETRY_BUDGET_MANY_POLICIES",
    `${manyPolicies} retry policies were made one after another from the same options, each with ` +
      "budgets of its own. Make one with createRetryPolicy() and hand it to every client.",
  );
}

function fingerprintOf(options: object): unknown {
  try {
    return JSON.stringify(options, (_, value) =>
      typeof value === "function" ? String(value) : value,
    );
  } catch {
    // What cannot be written down, such as a store that points at itself, is like nothing else.
    return options;
  }
}
