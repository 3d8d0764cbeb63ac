/** Says something once for each subject, by default the code. */
export type Warn = (code: string, message: string, subject?: string) => void;

interface WarningProcess {
  emitWarning?(message: string, options: { type: string; code: string }): void;
}

/** Subjects may come from requests, so their number is bounded. */
const mostSubjects = 50;

/** Warns the process, where there is one; what was said and how often is this warner's own. */
export function createWarner(): Warn {
  const said = new Set<string>();
  return (code, message, subject = code) => {
    if (said.has(subject) || said.size >= mostSubjects) return;
    said.add(subject);
    const { process } = globalThis as { process?: WarningProcess };
    process?.emitWarning?.(message, { type: "RetryBudgetWarning", code });
  };
}
