import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `send` a number of times, evenly spaced on an absolute schedule; gives the most ms of delay.
 * What is late is caught up with one by one: a burst would be another experiment.
 */
export async function sendEvenly(
  count: number,
  perSecond: number,
  send: () => void,
): Promise<number> {
  const begin = performance.now();
  let lag = 0;
  for (let index = 0; index < count; index++) {
    const due = begin + (index * 1000) / perSecond;
    do await sleep(Math.max(1, due - performance.now()));
    while (performance.now() < due);
    lag = Math.max(lag, performance.now() - due);
    send();
  }
  return lag;
}
