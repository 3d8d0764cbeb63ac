import { sendEvenly } from "./load.js";
import { makeClient } from "./storm-clients.js";
import type { ClientName, PolicyName, StormPlan, StormResult } from "./storm-plan.js";
import { StormServerProcess } from "./storm-server-process.js";

/** Healthy requests before the outage, so that connections and code are warm. */
const warmUps = 8;
/** A run that takes longer has a fault. */
const longestRun = 60_000;

export interface StormProgress {
  begin(client: ClientName, policy: PolicyName): void;
  sent(client: ClientName, policy: PolicyName, originals: number): void;
  end(result: StormResult): void;
}

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
  progress.begin(client, policy);
  const port = await server.open();
  const { send, close } = makeClient[client](policy, `http://127.0.0.1:${port}/`);
  await Promise.all(Array.from({ length: warmUps }, (_, index) => send(`warm-up ${index}`)));
  await server.fail(port);

  const calls: Promise<boolean>[] = [];
  const lag = await sendEvenly(originals, rate, (index) => {
    calls.push(send(String(index)).catch(() => false));
    progress.sent(client, policy, index + 1);
  });
  const ends = await withinTime(Promise.all(calls), `${client} ${policy}`);

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
  progress.end(result);
  return result;
}

async function withinTime<Value>(work: Promise<Value>, name: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The run ${name} did not end within ${longestRun} ms.`)),
      longestRun,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
