import type { OriginSnapshot } from "@retry-budget/core";
import type { SoakCounts } from "./soak-server.js";
import type { SoakTally } from "./soak-tally.js";

/** The budget of each origin. So much capacity that no deposit is lost: every token has its place. */
export const soakBudget = { ratio: 0.1, initial: 10, capacity: 1_000_000 } as const;
/** Tenths, since a deposit is one: integers are compared to the unit. */
const initial = 10 * soakBudget.initial;

/** Entries of a list that are shown. */
const mostShown = 5;

/** Times the heap of the beginning that it may have at the end. */
const mostGrowth = 1.1;

export interface SoakEvidence {
  readonly requests: number;
  readonly tally: SoakTally;
  readonly counts: SoakCounts;
  /** What the policy says of the server's origin, and of the one that refuses. */
  readonly server: OriginSnapshot;
  readonly refusing: OriginSnapshot;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly openResources: readonly string[];
  readonly openListeners: readonly string[];
}

export interface Check {
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly holds: boolean;
}

/** All that must hold at the end. */
export function checkSoak(evidence: SoakEvidence): Check[] {
  const { requests, tally, counts, server, refusing } = evidence;
  const { heapBefore, heapAfter } = evidence;
  return [
    equal("requests that the server received", server.originals + server.retries, counts.received),
    equal("originals among them", server.originals, counts.originals),
    equal("POSTs that it received again", 0, counts.repeatedPosts),
    ...budgetOf("the server", server),
    equal("calls where connections are refused", refusing.originals, tally.refusedCalls),
    equal("their attempts", refusing.originals + refusing.retries, tally.refusedAttempts),
    ...budgetOf("the refusing origin", refusing),
    equal("calls settled", requests, tally.settled),
    equal("calls that were told their end", requests, tally.ends),
    equal("calls that were told of another end", 0, tally.repeatedEnds),
    none("unexpected errors and warnings", [...tally.incidents]),
    equal("connections that the server still has", 0, counts.connections),
    none("open sockets, timers and others", evidence.openResources),
    none("listeners left behind", evidence.openListeners),
    atMost("heap in use, in KiB", kib(heapBefore * mostGrowth), kib(heapAfter)),
  ];
}

/** The bound, and that no token was lost or made: a retry that was not sent has given its own back. */
function budgetOf(name: string, { originals, retries, balance }: OriginSnapshot): Check[] {
  const earned = initial + originals;
  return [
    atMost(`retries to ${name}`, Math.floor(earned / 10), retries),
    equal(`tokens left for ${name}`, Math.floor((earned - 10 * retries) / 10), balance),
  ];
}

function equal(what: string, wanted: number, found: number): Check {
  return { what, wanted: String(wanted), found: String(found), holds: found === wanted };
}

function atMost(what: string, most: number, found: number): Check {
  return { what, wanted: `at most ${most}`, found: String(found), holds: found <= most };
}

function none(what: string, found: readonly string[]): Check {
  const entries = found.slice(0, mostShown).join("\n");
  const rest = found.length > mostShown ? `\n${found.length} in all` : "";
  return { what, wanted: "none", found: entries + rest || "none", holds: found.length === 0 };
}

function kib(bytes: number): number {
  return Math.round(bytes / 1024);
}
