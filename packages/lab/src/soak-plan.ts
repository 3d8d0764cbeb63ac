import { drawFault, type Fault } from "./soak-faults.js";

export const soakClientNames = ["undici", "axios", "got", "p-retry"] as const;
export type SoakClientName = (typeof soakClientNames)[number];

export interface SoakPlan {
  readonly client: SoakClientName;
  /** Calls in all. */
  readonly requests: number;
  readonly seed: number;
}

/** Attempts that one call may have. */
const mostAttempts = 3;

/** When the caller aborts, if the call gets that far. */
export interface Abort {
  /**
   * - `early`: some ms after the call's begin: in the queue for a socket, connecting, in flight
   * - `announced`: some ms after the server's 103: in flight, or in a wait of half a minute
   * - `head`: when the response is there
   * - `body`: when the first part of the body is there
   */
  readonly moment: (typeof moments)[number];
  readonly wait: number;
}

const moments = ["early", "announced", "head", "body"] as const;

/**
 * Ms. An `early` abort comes before any retry, since timers keep their order: where connections are
 * refused, a retry that is aborted while it connects is handed down, and yet is none in the books.
 */
const longestAbortWait = 20;
export const shortestWait = 30;

export interface SoakCall {
  readonly index: number;
  readonly method: "GET" | "PUT" | "POST";
  /** Whether it goes where every connection is refused. */
  readonly isRefused: boolean;
  /** What the server does with the first, second and third attempt. */
  readonly faults: readonly Fault[];
  readonly abort: Abort | undefined;
}

/** The calls that a seed stands for, one after the other. */
export function drawCall(index: number, random: () => number): SoakCall {
  const method = pick(["GET", "GET", "GET", "PUT", "POST"], random);
  const isRefused = random() < 0.02;
  const abort =
    random() < 0.04
      ? { moment: pick(moments, random), wait: random() * longestAbortWait }
      : undefined;
  const faults = Array.from({ length: mostAttempts }, () =>
    abort?.moment === "announced" ? "announced" : drawFault(random),
  );
  return { index, method, isRefused, faults, abort };
}

function pick<const Value>(values: readonly Value[], random: () => number): Value {
  return values[Math.floor(random() * values.length)] as Value;
}
