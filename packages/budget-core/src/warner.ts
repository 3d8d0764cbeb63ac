/** Says something once for each subject, by default the code. */
export type Warn = (code: string, message: string, subject?: string) => void;

interface WarningProcess {
  emitWarning?(message: string, options: { type: string; code: string }): void;
}

/** Subjects may come from requests, so their number is bounded. */
const mostSubjects = 50;

export function createWarner(): Warn {
  const said = new Set<string>();
  return (code, message, subject = code) => {
    if (said.has(subject) || said.size >= mostSubjects) return;
    said.add(subject);
    const { process } = globalThis as { process?: WarningProcess };
    process?.emitWarning?.(message, { type: "RetryBudgetWarning", code });
  };
}
