import { setImmediate } from "node:timers/promises";

/** The codes of our warnings that are emitted while the work runs. */
export async function warningsDuring(work: () => unknown): Promise<unknown[]> {
  // Node emits them in a later turn, those of the test before this one as well.
  await setImmediate();
  const codes: unknown[] = [];
  const listener = (warning: Error & { code?: string }): void => {
    if (warning.name === "RetryBudgetWarning") codes.push(warning.code);
  };
  process.on("warning", listener);
  await work();
  await setImmediate();
  process.off("warning", listener);
  return codes;
}
