import { type LayerClient, layerClient } from "./storm-layers-client.js";
import type { LayerPolicyName, LayersPlan, LayersResult } from "./storm-layers-plan.js";
import { Tiers } from "./storm-layers-tiers.js";
import type { StormProgress } from "./storm-progress.js";
import { withinTime } from "./within-time.js";

/**
 * Users at a time. Few, since the budgets begin empty: with a hundred under way, what they earn could
 * come to more than the capacity of 10 before the first of them fails, and be lost.
 */
const users = 16;
/** A run that takes longer has a fault. */
const longestRun = 60_000;

/**
 * What three layers that retry make of an outage at the last tier: the user's client calls tier 1,
 * which calls tier 2, which calls tier 3. All counts are the tiers'.
 */
export async function runLayers(
  { policies, originals }: LayersPlan,
  progress: StormProgress,
): Promise<LayersResult[]> {
  const results: LayersResult[] = [];
  for (const policy of policies) results.push(await runOne(policy, originals, progress));
  return results;
}

async function runOne(
  policy: LayerPolicyName,
  originals: number,
  progress: StormProgress,
): Promise<LayersResult> {
  const name = `layers ${policy}`;
  progress.begin(name);
  const tiers = new Tiers();
  let client: LayerClient | undefined;
  try {
    client = layerClient(policy, await tiers.start(policy));
    const sending = sendAll(originals, client, (done) => progress.done(name, done));
    const succeeded = await withinTime(longestRun, sending, () => `The run ${name}`);
    const last = await tiers.countLast();
    progress.end(name, last.received);
    return {
      layers: 3,
      policy,
      originals: last.originals,
      received: last.received,
      tiers: [...(await tiers.countCallers()), last.received],
      succeeded,
      amplification: last.received / last.originals,
    };
  } finally {
    await client?.close();
    tiers.stop();
  }
}

/** How many ended well. */
async function sendAll(
  originals: number,
  { send }: LayerClient,
  done: (count: number) => void,
): Promise<number> {
  let begun = 0;
  let ended = 0;
  let succeeded = 0;
  const user = async (): Promise<void> => {
    while (begun < originals) {
      const status = await send(String(begun++)).catch(() => 0);
      if (status === 200) succeeded++;
      done(++ended);
    }
  };
  await Promise.all(Array.from({ length: users }, user));
  return succeeded;
}
