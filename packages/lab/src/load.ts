import { setTimeout as sleep } from "node:timers/promises";

/** Calls `send` a number of times, evenly spaced on an absolute schedule; gives the most ms of delay. */
export async function sendEvenly(
  count: number,
  perSecond: number,
  send: (index: number) => void,
): Promise<number> {
  const begin = performance.now();
  let lag = 0;
  for (let index = 0; index < count; index++) {
    const due = begin + (index * 1000) / perSecond;
    while (performance.now() < due) await sleep(Math.max(1, due - performance.now()));
    lag = Math.max(lag, performance.now() - due);
    send(index);
  }
  return lag;
}
