import { vi } from "vitest";

/** Polls for what has no event. @throws Error after ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 10_000, interval: 1 });
}
