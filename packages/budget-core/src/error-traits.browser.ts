import type { ErrorTraits } from "./error-traits.js";

/**
 * Browsers tell neither codes nor causes: axios' own two words for a timeout are all there is. What
 * else a client knows it says itself (`Outcome.transient`, `Outcome.sent`).
 */
export function errorTraits(error: unknown): ErrorTraits {
  const { code } = Object(error) as { code?: unknown };
  return { transient: code === "ECONNABORTED" || code === "ETIMEDOUT", neverSent: false };
}
