const quoted = /"(?:[^"\\]|\\.)*"/g;
const member = /^\s*[a-z*][\w*.:/-]*\s*(?:;|$)/i;

/**
 * Reads `RateLimit: "policy";r=0;t=30` (IETF draft, 2025): the longest wait in ms of the policies
 * that have nothing left, Infinity where one of them says none, and `undefined` where every policy
 * has something left. What is malformed is ignored.
 */
export function parseExhaustedQuota(value: string): number | undefined {
  let longest: number | undefined;
  // A policy's name may hold any separator.
  for (const policy of value.replace(quoted, "q").split(",")) {
    const remaining = parameterOf(policy, "r");
    if (remaining === undefined || !member.test(policy)) return undefined;
    const seconds = parameterOf(policy, "t") ?? Number.POSITIVE_INFINITY;
    if (remaining === 0) longest = Math.max(longest ?? 0, seconds * 1000);
  }
  return longest;
}

function parameterOf(policy: string, name: string): number | undefined {
  const digits = new RegExp(`;\\s*${name}\\s*=\\s*(\\d{1,15})\\s*(?:;|$)`).exec(policy)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
