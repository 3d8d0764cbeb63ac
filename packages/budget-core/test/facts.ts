import type { CallFacts } from "@retry-budget/core";

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
