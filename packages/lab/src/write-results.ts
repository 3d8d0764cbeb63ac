/** On stdout: one JSON object per line, or the report for people. */
export function writeResults(
  results: readonly object[],
  json: true | undefined,
  report: () => string,
): void {
  const lines = (): string => results.map((result) => `${JSON.stringify(result)}\n`).join("");
  process.stdout.write(json === true ? lines() : report());
}
