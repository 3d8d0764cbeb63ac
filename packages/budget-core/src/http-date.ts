const days = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
const longDays = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday";
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const time = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)";

// RFC 9110 §5.6.7: a recipient accepts all three, and all three are UTC. `Date.parse` takes the
// last one for local time and finds dates in numbers.
const forms = [
  new RegExp(`^(?:${days}), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?:${longDays}), (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^(?:${days}) ${month} (?<day>\\d\\d| \\d) ${time} (?<year>\\d{4})$`),
];

/** Milliseconds since the epoch, or `undefined` for what is no HTTP date. */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return toTime(groups, now);
  }
  return undefined;
}

function toTime(groups: Record<string, string | undefined>, now: number): number | undefined {
  const read = (name: string): number => Number(groups[name]);
  const monthIndex = months.indexOf(groups["month"] ?? "");
  const year = groups["year"]?.length === 2 ? fullYear(read("year"), now) : read("year");
  const midnight = new Date(Date.UTC(2000, monthIndex, 1));
  midnight.setUTCFullYear(year, monthIndex, read("day"));
  // The 30th of February is a date by its form only.
  if (midnight.getUTCMonth() !== monthIndex || read("day") === 0) return undefined;
  const seconds = read("hour") * 3600 + read("minute") * 60 + read("second");
  return midnight.getTime() + seconds * 1000;
}

// RFC 9110 §5.6.7: more than 50 years in the future means the past century.
function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
