import { parseHttpDate } from "./http-date.js";

/**
 * The wait that a `Retry-After` asks for (RFC 9110 §10.2.3), in ms from `now`; 0 for a date in the
 * past, `undefined` for what is neither a number of seconds nor a date. The longest of several.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const waits = membersOf(value)
    .map((member) => waitOf(member, now))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function waitOf(member: string, now: number): number | undefined {
  // Not Number(), which reads "", "0x10", "1e3" and "-1" as well.
  if (/^\d+$/.test(member)) return Math.min(Number(member) * 1000, Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(member, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

// Several field lines come joined by commas, and two of the three date forms hold one themselves.
function membersOf(value: string): string[] {
  const members: string[] = [];
  let weekday = "";
  for (const piece of value.split(",")) {
    const text = piece.trim();
    if (/^[A-Z][a-z]+$/.test(text)) {
      weekday = `${text}, `;
      continue;
    }
    members.push(weekday + text);
    weekday = "";
  }
  return members;
}
