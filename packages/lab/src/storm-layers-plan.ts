/** What each of the three layers does with a failure. */
export const layerPolicyNames = ["attempts", "budgets", "marks"] as const;

export type LayerPolicyName = (typeof layerPolicyNames)[number];

export interface LayersPlan {
  readonly policies: readonly LayerPolicyName[];
  /** Requests of users in each run. */
  readonly originals: number;
}

export interface LayersResult {
  /** Layers that retry: the user's client and the two tiers that call another. */
  readonly layers: 3;
  readonly policy: LayerPolicyName;
  /** Requests of users that the last tier received, told apart by a header. */
  readonly originals: number;
  /** All requests that the last tier received. */
  readonly received: number;
  /** All requests that each tier received, the last one last. */
  readonly tiers: readonly number[];
  /** Originals that ended well for their user. */
  readonly succeeded: number;
  readonly amplification: number;
}
