import { retryBudget } from "@retry-budget/got";
import type { Got, OptionsInit } from "got";

/** The second bare one is the noise: what it adds to the first is nothing. */
export const gotClientNames = ["bare", "bare again", "ours"] as const;

export type GotClientName = (typeof gotClientNames)[number];

/** @param got of any version */
export function gotClient(name: GotClientName, got: Got, options: OptionsInit): Got {
  // The same number of instances deep.
  return got.extend(options, name === "ours" ? retryBudget() : {});
}
