import { budgetOptionNames } from "./budget-options.js";
import { definedOf } from "./expect.js";
import type { PolicySettings, RetryPolicyOptions } from "./options.js";
import type { Warn } from "./warner.js";

/** Options that are valid each by itself and yet will not do what they seem to. */
export function warnOfContradictions(
  options: RetryPolicyOptions,
  { budget, budgets, origins }: PolicySettings,
  warn: Warn,
): void {
  if (budget.ratio === 0 && budget.trickle > 0) {
    warn("RETRY_BUDGET_TRICKLE", "`trickle` has no effect where `ratio` is 0: no retry is earned.");
  }
  const given = definedOf(options);
  const own = [...budgetOptionNames, "origins"].filter((name) => name in given);
  if (budgets !== undefined && own.length > 0) {
    warn(
      "RETRY_BUDGET_OPTIONS_OF_BUDGETS",
      `\`${own.join("`, `")}\` has no effect beside \`budgets\`, which makes its own.`,
    );
  }
  for (const key of origins.keys()) {
    if (!looksLikeHost.test(key)) continue;
    const text = `The key "${key}" in \`origins\` is a name and no origin: write "https://${key}".`;
    warn("RETRY_BUDGET_ORIGINS", text, `origins ${key}`);
  }
}

const looksLikeHost = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?$|^[\w.-]+:\d+$/;
