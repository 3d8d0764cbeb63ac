import { destroyBody } from "./destroy-body.js";
import { aBody, mistake } from "./mistake.js";
import type { OnRetry, RetryContext } from "./retry-context.js";
import { type Warn, warnOfThrow } from "./warnings.js";

/** What the user lets run right before a retry is sent. */
export interface Preparation {
  readonly onRetry: OnRetry | undefined;
  /** Makes a body that can be sent once only. */
  readonly body: (() => unknown) | undefined;
  readonly context: RetryContext;
  readonly warn: Warn;
  /** Whether the retry is still to be sent: both may take their time. */
  isWanted(): boolean;
}

/** What came of it; undefined where one of them threw. */
export interface Prepared {
  readonly body: unknown;
}

export async function prepareRetry(preparation: Preparation): Promise<Prepared | undefined> {
  const { onRetry, body, context, warn, isWanted } = preparation;
  try {
    await onRetry?.(context);
  } catch (error) {
    warnOfThrow(warn, "onRetry", error);
    return undefined;
  }
  if (body === undefined || !isWanted()) return { body: undefined };
  try {
    return { body: await makeBody(body, isWanted) };
  } catch (error) {
    warnOfThrow(warn, "body", error);
    return undefined;
  }
}

async function makeBody(make: () => unknown, isWanted: () => boolean): Promise<unknown> {
  const body = await make();
  // It would be sent as an empty one.
  if (body === undefined || body === null) throw mistake("retryBudget.body()", aBody, body);
  if (!isWanted()) destroyBody(body);
  return body;
}
