/** What a run of the storm is: one client under one policy. */
export const clientNames = ["undici", "axios", "got", "p-retry"] as const;
export const policyNames = ["bare", "own", "budget"] as const;

export type ClientName = (typeof clientNames)[number];
export type PolicyName = (typeof policyNames)[number];

export interface StormPlan {
  readonly clients: readonly ClientName[];
  readonly policies: readonly PolicyName[];
  /** Original requests of each run. */
  readonly originals: number;
  /** Originals per second, evenly spaced. */
  readonly rate: number;
}

export interface StormResult {
  readonly client: ClientName;
  readonly policy: PolicyName;
  /** Original requests that the server received, told apart by a header. */
  readonly originals: number;
  /** All requests that the server received. */
  readonly received: number;
  readonly retries: number;
  /** Originals that ended well for their caller. */
  readonly succeeded: number;
  readonly amplification: number;
  /** Most ms by which the generator sent an original late. */
  readonly lag: number;
}
