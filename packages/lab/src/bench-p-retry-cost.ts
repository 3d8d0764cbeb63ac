import type { BenchCell } from "./bench-cells.js";
import { type PRetryClientName, pRetryClientNames } from "./bench-p-retry-clients.js";
import { middleSpreadOf, paired, type Spread } from "./spread.js";

/** What one pRetry costs, next to the bare one in the same round. */
export interface PRetryCost {
  readonly node: string;
  readonly pRetry: string;
  readonly client: PRetryClientName;
  /** CPU microseconds of one call. */
  readonly cpu: Spread;
  /** What it adds to the bare one's. */
  readonly overBare: Spread;
}

/** @param processes by client and round */
export function pRetryCosts(
  { nodeVersion, clientVersion }: Pick<BenchCell, "nodeVersion" | "clientVersion">,
  processes: readonly (readonly (readonly number[])[])[],
): PRetryCost[] {
  const all = pRetryClientNames.map((_, index) =>
    processes.flatMap((rounds) => rounds[index] ?? []),
  );
  const [bare = []] = all;
  return pRetryClientNames.map((client, index) => {
    const own = all[index] ?? [];
    return {
      node: nodeVersion,
      pRetry: clientVersion,
      client,
      cpu: middleSpreadOf(own),
      overBare: middleSpreadOf(paired(own, bare, (mine, theirs) => mine - theirs)),
    };
  });
}
