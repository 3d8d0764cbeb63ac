import type { MarkHeader, MarkKind } from "./mark-header.js";
import { readWholeNumber, writeWholeNumber } from "./whole-number.js";

/** How each mark is written under a name that nothing else defines. */
export const plainHeader: Record<MarkKind, (name: string) => MarkHeader> = {
  attempt: (name) => ({
    name,
    write: ({ attempt }) => writeWholeNumber(attempt),
    read: (text) => {
      const attempt = readWholeNumber(text) ?? 0;
      return attempt > 0 ? { attempt } : undefined;
    },
  }),
  retried: (name) => flag(name, "1"),
  deadline: (name) => ({
    name,
    write: ({ remaining }) =>
      remaining < Number.POSITIVE_INFINITY ? writeWholeNumber(remaining) : undefined,
    read: (text) => {
      const remaining = readWholeNumber(text);
      return remaining === undefined ? undefined : { remaining };
    },
  }),
};

/** "I retry", as one fixed word. */
export function flag(name: string, word: string): MarkHeader {
  return {
    name,
    write: ({ isRetried }) => (isRetried ? word : undefined),
    read: (text) => (text === word ? { isRetried: true } : undefined),
  };
}

/** Our own names. */
export const ownHeaders: Record<MarkKind, MarkHeader> = {
  attempt: plainHeader.attempt("retry-budget-attempt"),
  retried: plainHeader.retried("retry-budget-retried"),
  deadline: plainHeader.deadline("retry-budget-deadline"),
};
