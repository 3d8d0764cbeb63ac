/** Says something once for each code. */
export type Warn = (code: string, message: string) => void;

interface WarningProcess {
  emitWarning?(message: string, options: { type: string; code: string }): void;
}

export function createWarner(): Warn {
  const said = new Set<string>();
  return (code, message) => {
    if (said.has(code)) return;
    said.add(code);
    const { process } = globalThis as { process?: WarningProcess };
    process?.emitWarning?.(message, { type: "RetryBudgetWarning", code });
  };
}
