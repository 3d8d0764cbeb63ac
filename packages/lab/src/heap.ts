import { setTimeout as sleep } from "node:timers/promises";

/** Bytes of the heap that are in use after garbage collection. @throws Error without --expose-gc */
export async function heapInUse(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("The heap can be measured under --expose-gc only.");
  // More than once, and with turns between: what a finalizer lets go of is freed by the next.
  for (let round = 0; round < 4; round++) {
    await sleep(20);
    gc();
  }
  return process.memoryUsage().heapUsed;
}
