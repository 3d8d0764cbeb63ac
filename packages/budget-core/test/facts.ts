import type { Call, CallFacts } from "@retry-budget/core";

/** A plain GET to one origin, with what a test changes about it. */
export function facts(changes: Partial<CallFacts> = {}): CallFacts {
  return {
    client: "test",
    method: "GET",
    url: "http://a.example",
    isReplayable: () => true,
    ...changes,
  };
}

/** What an adapter that waits for its retries does with a granted one. */
export async function pause(call: Call | undefined, headers?: unknown): Promise<boolean> {
  await call?.sleep();
  return call?.prepare(headers) ?? false;
}
