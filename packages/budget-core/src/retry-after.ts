import { parseHttpDate } from "./http-date.js";

/**
 * The wait that a `Retry-After` asks for (RFC 9110 §10.2.3), in ms from `now`; 0 for a date in the
 * past, `undefined` for what is neither a number of seconds nor a date. The longest of several.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  // Several field lines come joined by commas, and two of the three date forms hold one themselves.
  const members = value.split(/,(?! \d\d[ -][A-Z])/);
  const longest = Math.max(...members.map((member) => waitOf(member.trim(), now)));
  return longest < 0 ? undefined : longest;
}

function waitOf(member: string, now: number): number {
  // Not Number(), which reads "", "0x10", "1e3" and "-1" as well.
  if (/^\d+$/.test(member)) return Math.min(Number(member) * 1000, Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(member, now);
  return date === undefined ? -1 : Math.max(0, date - now);
}
