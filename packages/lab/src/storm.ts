import { setTimeout as sleep } from "node:timers/promises";
import { sendEvenly } from "./load.js";
import { makeClient } from "./storm-clients.js";
import type { ClientName, PolicyName, StormPlan, StormResult } from "./storm-plan.js";
import type { StormProgress } from "./storm-progress.js";
import { StormServerProcess } from "./storm-server-process.js";
import { withinTime } from "./within-time.js";

/** Healthy requests before the outage, so that connections and code are warm. */
const warmUps = 8;
/**
 * The first originals go one by one. A burst of them at a full budget would lose its deposits, and
 * the counts would depend on how busy the machine is.
 */
const gentle = 12;
/** A run that takes longer has a fault. */
const longestRun = 60_000;

/**
 * The retry storm: a server in outage (all 503), and for each client how many requests it gets for
 * the originals under each policy. Two runs at a time, each with a port, a client and a budget of
 * its own. All counts are the server's.
 */
export async function runStorm(plan: StormPlan, progress: StormProgress): Promise<StormResult[]> {
  const server = new StormServerProcess();
  const queue = plan.clients.flatMap((client) =>
    plan.policies.map((policy) => ({ client, policy })),
  );
  const order = queue.map(({ client, policy }) => `${client} ${policy}`);
  const results: StormResult[] = [];
  const lane = async (): Promise<void> => {
    for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
      results.push(await runOne(server, plan, run.client, run.policy, progress));
    }
  };
  try {
    await Promise.all([lane(), lane()]);
  } finally {
    server.stop();
  }
  const place = ({ client, policy }: StormResult): number => order.indexOf(`${client} ${policy}`);
  return results.sort((a, b) => place(a) - place(b));
}

async function runOne(
  server: StormServerProcess,
  { originals, rate }: StormPlan,
  client: ClientName,
  policy: PolicyName,
  progress: StormProgress,
): Promise<StormResult> {
  const name = `${client} ${policy}`;
  progress.begin(name);
  const port = await server.open();
  const { send, close } = makeClient[client](policy, `http://127.0.0.1:${port}/`);
  await Promise.all(Array.from({ length: warmUps }, (_, index) => send(`warm-up ${index}`)));
  await server.fail(port);

  const calls: Promise<boolean>[] = [];
  const sendNext = (): void => {
    calls.push(send(String(calls.length)).catch(() => false));
    progress.done(name, calls.length);
  };
  const gently = Math.min(gentle, originals);
  while (calls.length < gently) {
    sendNext();
    await answered(server, port, calls.length);
  }
  const lag = await sendEvenly(originals - gently, rate, sendNext);
  const ends = await withinTime(longestRun, Promise.all(calls), () => `The run ${name}`);

  const counts = await server.count(port);
  await close();
  await server.close(port);
  const result = {
    client,
    policy,
    originals: counts.originals,
    received: counts.received,
    retries: counts.received - counts.originals,
    succeeded: ends.filter(Boolean).length,
    amplification: counts.received / counts.originals,
    lag: Math.round(lag),
  };
  progress.end(name, result.received);
  return result;
}

/** Until the server has answered that many, and the client has had the time to hear it. */
async function answered(server: StormServerProcess, port: number, count: number): Promise<void> {
  while ((await server.count(port)).originals < count) await sleep(1);
  await sleep(10);
}
