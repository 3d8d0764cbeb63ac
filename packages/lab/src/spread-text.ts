import type { Spread } from "./spread.js";

/** Median, and from where to where. */
export function spreadText({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}
