import { setTimeout as sleep } from "node:timers/promises";
import { surplus } from "./surplus.js";

/**
 * What keeps the process alive and did not before. What is closed may take some turns to be gone.
 * @param before what `process.getActiveResourcesInfo()` gave
 * @param longest ms
 */
export async function openResources(before: readonly string[], longest: number): Promise<string[]> {
  const end = performance.now() + longest;
  const open = (): string[] => surplus(before, process.getActiveResourcesInfo());
  while (open().length > 0 && performance.now() < end) await sleep(10);
  return open();
}
