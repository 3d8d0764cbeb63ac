import type { OuterCall } from "@retry-budget/core";

/** What a call may be inside of: one that is retried, and is at its first attempt, unless said otherwise. */
export function outerOf(own: Partial<OuterCall> = {}): OuterCall {
  return {
    isRetried: true,
    attempt: 1,
    isOver: false,
    outer: undefined,
    remaining: () => Number.POSITIVE_INFINITY,
    ...own,
  };
}
