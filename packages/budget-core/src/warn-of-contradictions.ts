import { budgetFields } from "./budget-options.js";
import type { PolicySettings, RetryPolicyOptions } from "./options.js";
import type { Warn } from "./warner.js";

/** Options that are valid each by itself and yet will not do what they seem to. */
export function warnOfContradictions(
  options: RetryPolicyOptions,
  { ratio, trickle, budgets, origins }: PolicySettings,
  warn: Warn,
): void {
  if (ratio === 0 && trickle > 0) {
    warn("RETRY_BUDGET_TRICKLE", "`trickle` has no effect where `ratio` is 0: no retry is earned.");
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const own = [...Object.keys(budgetFields), "origins"].filter((name) => given[name] !== undefined);
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
