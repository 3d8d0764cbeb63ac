export interface ExhaustedQuota {
  /** Ms until there is more quota, where the server says so. */
  readonly wait: number | undefined;
}

const closedQuotes = /^(?:"(?:[^"\\]|\\.)*"|[^"])*$/;
const item = /^\s*(?:"(?:[^"\\]|\\.)*"|[A-Za-z*][\w*.:/-]*)\s*(?<parameters>(?:;[^;]*)*)$/;

/**
 * Reads `RateLimit: "policy";r=0;t=30` (IETF draft, 2025). The longest wait of the policies that
 * have nothing left, or `undefined` where every policy has some; what is malformed is ignored.
 */
export function parseExhaustedQuota(value: string): ExhaustedQuota | undefined {
  if (!closedQuotes.test(value)) return undefined;
  let exhausted: ExhaustedQuota | undefined;
  for (const member of splitOutsideQuotes(value)) {
    const match = item.exec(member);
    if (match === null) return undefined;
    const parameters = match.groups?.["parameters"] ?? "";
    const remaining = parameterOf(parameters, "r");
    if (remaining === undefined) return undefined;
    if (remaining > 0) continue;
    exhausted = laterOf(exhausted, parameterOf(parameters, "t"));
  }
  return exhausted;
}

function laterOf(known: ExhaustedQuota | undefined, seconds: number | undefined): ExhaustedQuota {
  if (seconds === undefined) return { wait: undefined };
  if (known === undefined) return { wait: seconds * 1000 };
  if (known.wait === undefined) return known;
  return { wait: Math.max(known.wait, seconds * 1000) };
}

function parameterOf(parameters: string, name: string): number | undefined {
  for (const parameter of parameters.split(";")) {
    const [key, value] = parameter.split("=", 2);
    if (key?.trim() === name && /^\s*\d{1,15}\s*$/.test(value ?? "")) return Number(value);
  }
  return undefined;
}

function splitOutsideQuotes(value: string): string[] {
  return value.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
}
