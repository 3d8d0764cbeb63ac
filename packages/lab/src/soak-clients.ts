import type { Refusal, RetryPolicy } from "@retry-budget/core";
import { makeAxios } from "./soak-axios.js";
import { makeGot } from "./soak-got.js";
import { makePRetry } from "./soak-p-retry.js";
import type { Abort, SoakCall, SoakClientName } from "./soak-plan.js";
import type { SoakTally } from "./soak-tally.js";
import { makeUndici } from "./soak-undici.js";

export interface SoakOrigins {
  readonly server: string;
  readonly refusing: string;
}

export interface SoakAnswer {
  readonly status: number;
  /** Why it was not retried, where it was not. */
  readonly refusal: Refusal | undefined;
}

export interface SoakClient {
  /** An entry for every listener on what outlives a call. */
  listeners(): string[];
  /**
   * Ends when the body was read to its end; rejects with the client's error.
   * @param abort to be called at each moment that this client has; it aborts by the signal where the
   * call wants that
   */
  send(
    call: SoakCall,
    signal: AbortSignal,
    abort: (moment: Abort["moment"]) => void,
  ): Promise<SoakAnswer>;
  /** Whether this is how the client says that the caller has aborted. */
  isAbort(error: unknown): boolean;
  /** Whether one of the faults, in the client's own words. */
  isExpected(error: unknown): boolean;
  close(): Promise<void>;
}

type Make = (policy: RetryPolicy, origins: SoakOrigins, tally: SoakTally) => SoakClient;

export const makeSoakClient: Readonly<Record<SoakClientName, Make>> = {
  undici: makeUndici,
  axios: makeAxios,
  got: makeGot,
  "p-retry": makePRetry,
};
