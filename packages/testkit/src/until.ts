/** Polls for what has no event. @throws Error after ten seconds, which says what it waited for. */
export async function until(holds: () => boolean): Promise<void> {
  const begin = performance.now();
  while (!holds()) {
    if (performance.now() - begin > 10_000) throw new Error(`Still not true: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
