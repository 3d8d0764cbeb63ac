/** The side of the process that measures. It ends when the benchmark does. */
export function answerWith(measure: () => unknown): void {
  process.on("message", () => {
    void Promise.resolve(measure()).then((result) => process.send?.(result));
  });
  process.on("disconnect", () => process.exit());
}
