import { destroyBody } from "./destroy-body.js";
import type { Grant } from "./grant.js";
import { aBody, mistake } from "./mistake.js";
import type { PolicySettings } from "./options.js";
import type { PolicyParts } from "./policy-parts.js";
import type { RetryContext } from "./retry-context.js";
import type { Terms } from "./terms.js";
import { warnOfThrow } from "./warnings.js";

/** Whether there is anything of the user's to run, which takes its time. */
export function hasHooks({ onRetry }: PolicySettings, { body }: Terms): boolean {
  return onRetry !== undefined || body !== undefined;
}

/**
 * Lets run what the user wants to run right before a retry is sent: `onRetry`, and what makes a
 * body that can be sent once only. Both may take their time. False where one of them threw.
 */
export async function prepareRetry(
  grant: Grant,
  context: RetryContext,
  makeBody: (() => unknown) | undefined,
  { settings, warn }: PolicyParts,
): Promise<boolean> {
  try {
    await settings.onRetry?.(context);
  } catch (error) {
    warnOfThrow(warn, "onRetry", error);
    return false;
  }
  try {
    if (makeBody !== undefined && !grant.isOver) giveBody(grant, await makeBody());
  } catch (error) {
    warnOfThrow(warn, "body", error);
    return false;
  }
  return true;
}

function giveBody(grant: Grant, body: unknown): void {
  // It would be sent as an empty one.
  if (body === undefined || body === null) throw mistake("retryBudget.body()", aBody, body);
  if (grant.isOver) destroyBody(body);
  else grant.body = body;
}
