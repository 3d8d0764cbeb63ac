import { createRetryPolicy, type OriginSnapshot, type RetryPolicy } from "@retry-budget/core";
import { createSeededRandom } from "@retry-budget/core/testing";
import { AskedProcess } from "./asked-process.js";
import { countsAtEnd } from "./counts-at-end.js";
import { heapInUse } from "./heap.js";
import { listenersOf } from "./listeners.js";
import { openResources } from "./open-resources.js";
import { SoakCaller } from "./soak-caller.js";
import { type SoakEvidence, soakBudget } from "./soak-checks.js";
import { makeSoakClient } from "./soak-clients.js";
import { drawCall, type SoakPlan, shortestWait } from "./soak-plan.js";
import type { SoakCounts } from "./soak-server.js";
import { SoakTally } from "./soak-tally.js";
import { surplus } from "./surplus.js";
import { watchProcess } from "./watch-process.js";
import { withinTime } from "./within-time.js";

/** Calls under way at once: more than there are sockets, so that some wait for one. */
const lanes = 64;
/** Ms for the client to close and for what it held to go: less than any of its own idle times. */
const longestEnd = 3000;
/** Ms for an answer of the server; the first one comes only when its process has started. */
const longestAnswer = 30_000;

type Server = AskedProcess<"counts", SoakCounts>;

/**
 * Many calls with every fault there is, in random order from a seed, to a server that counts them.
 * Then everything must add up, and nothing may be left behind.
 */
export async function runSoak(
  plan: SoakPlan,
  progress: (settled: number) => void,
): Promise<SoakEvidence> {
  const server: Server = new AskedProcess(new URL("./soak-server.js", import.meta.url));
  const tally = new SoakTally();
  const unwatch = watchProcess(tally.incidents);
  try {
    return await soak(plan, server, tally, progress);
  } finally {
    unwatch();
    server.stop();
  }
}

async function soak(
  { client: name, requests, seed }: SoakPlan,
  server: Server,
  tally: SoakTally,
  progress: (settled: number) => void,
): Promise<SoakEvidence> {
  const { port, refusingPort } = await countsOf(server);
  const resources = process.getActiveResourcesInfo();

  const backoff = { base: shortestWait, jitter: "none" } as const;
  const policy = createRetryPolicy({ ...soakBudget, backoff });
  const origins = { server: originAt(port), refusing: originAt(refusingPort) };
  const client = makeSoakClient[name](policy, origins, tally);
  const caller = new SoakCaller(client, tally);
  const listeners = (): string[] => [
    ...client.listeners(),
    ...listenersOf({ process, signal: caller.signal }),
  ];
  const listenersBefore = listeners();

  const random = createSeededRandom(seed);
  let drawn = 0;
  const lane = async (last: number): Promise<void> => {
    while (drawn < last) {
      await caller.make(drawCall(drawn++, random));
      progress(tally.settled);
    }
  };
  const callUpTo = (last: number): Promise<unknown> => {
    const work = Promise.all(Array.from({ length: lanes }, () => lane(last)));
    const what = (): string => `The soak, with ${tally.settled} of ${requests} calls settled,`;
    return withinTime(60_000 + 5 * requests, work, what);
  };

  await callUpTo(warmUpsOf(requests));
  const heapBefore = await heapInUse();
  await callUpTo(requests);
  // With the client still open, as at the beginning: what hangs on it counts.
  const heapAfter = await heapInUse();
  await withinTime(longestEnd, client.close(), () => "Closing the client");

  return {
    requests,
    tally,
    counts: await countsAtEnd(() => countsOf(server), longestEnd),
    server: snapshotOf(policy, origins.server),
    refusing: snapshotOf(policy, origins.refusing),
    heapBefore,
    heapAfter,
    openResources: await openResources(resources, longestEnd),
    openListeners: differenceOf(listenersBefore, listeners()),
  };
}

function countsOf(server: Server): Promise<SoakCounts> {
  return withinTime(longestAnswer, server.ask("counts"), () => "Asking the server");
}

/**
 * The first calls compile code and open sockets and pools, which stay: that is no leak. The heap of
 * the beginning is the one after them.
 */
function warmUpsOf(requests: number): number {
  return Math.max(3000, Math.ceil(requests / 20));
}

function originAt(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function snapshotOf(policy: RetryPolicy, origin: string): OriginSnapshot {
  const snapshot = policy.snapshot().find((entry) => entry.origin === origin);
  if (snapshot === undefined) throw new Error(`The policy does not know ${origin}.`);
  return snapshot;
}

function differenceOf(before: readonly string[], after: readonly string[]): string[] {
  return [...surplus(before, after), ...surplus(after, before).map((entry) => `lost: ${entry}`)];
}
