import { setTimeout as sleep } from "node:timers/promises";
import type { SoakCounts } from "./soak-server.js";

/**
 * Counts that nothing can be added to. A request is written in the turn in which it starts, in one
 * piece; an end of the connection comes after it, and a reset only over an answer that nobody has
 * read. So the server reads and counts whatever was started, however soon it was aborted: it is
 * waited for until it has seen all connections end. The first answer is not used, since with the
 * second one everything is accepted that was connected before.
 */
export async function countsAtEnd(
  ask: () => Promise<SoakCounts>,
  longest: number,
): Promise<SoakCounts> {
  const end = performance.now() + longest;
  await ask();
  let counts = await ask();
  while (counts.connections > 0 && performance.now() < end) {
    await sleep(10);
    counts = await ask();
  }
  return counts;
}
