import type { CallFacts } from "./call.js";
import type { PolicySettings } from "./options.js";
import type { OriginAccount } from "./origin-account.js";
import type { PolicyParts } from "./policy-parts.js";
import type { Terms } from "./terms.js";

/** A first attempt goes out: its origin has one original more, and earns by it as a rule. */
export function countOriginal(
  account: OriginAccount,
  { client, method }: CallFacts,
  { standsDown }: Terms,
  { settings, reporter }: PolicyParts,
): void {
  // The layer that retries has counted it.
  if (standsDown) return;
  account.originals++;
  if (settings.depositOn === "request") account.deposit();
  if (reporter.hears("original")) {
    reporter.report("original", account, { client, method, attempt: 1 });
  }
}

/** Whether this final success earns, and not the first attempt. */
export function isEarnedBy(
  status: number,
  tried: false | undefined,
  { standsDown }: Terms,
  { depositOn }: PolicySettings,
): boolean {
  if (depositOn !== "success" || standsDown) return false;
  // A client may call a failing status a success for its caller; the server earns nothing by it,
  // nor by what a cache has answered.
  return status < 400 && tried !== false;
}
