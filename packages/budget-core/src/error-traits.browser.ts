import type { ErrorTraits } from "./error-traits.js";

const transient = /^(?:ECONNABORTED|ETIMEDOUT|ERR_NETWORK)$/;

/**
 * Browsers hide what went wrong, and have none of Node's codes: axios' words for a timeout and for a
 * failed network are all there is. What else a client knows it says itself (`Outcome.transient`).
 */
export function errorTraits(error: unknown): ErrorTraits {
  const { code } = Object(error) as { code?: unknown };
  return { transient: transient.test(String(code)), neverSent: false };
}
