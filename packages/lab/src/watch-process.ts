/** Collects what the process says when something was forgotten. Gives the way to stop. */
export function watchProcess(incidents: Set<string>): () => void {
  const onRejection = (reason: unknown): void => note("unhandled rejection", reason);
  const onException = (error: Error): void => note("uncaught exception", error);
  const onWarning = (warning: Error): void => note("warning", warning);
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  process.on("warning", onWarning);
  return () => {
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
    process.off("warning", onWarning);
  };

  function note(kind: string, what: unknown): void {
    incidents.add(`${kind}: ${what}`);
  }
}
