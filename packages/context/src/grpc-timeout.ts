const ms = { n: 1e-6, u: 1e-3, m: 1, S: 1000, M: 60_000, H: 3_600_000 };
const coarser = ["m", "S", "M", "H"] as const;
const most = 99_999_999;

/** `grpc-timeout`: at most eight digits and a unit; rounded down, but the grammar has no zero. */
export function writeGrpcTimeout(remaining: number): string {
  if (remaining < 1) return `${Math.max(Math.floor(remaining / ms.n), 1)}n`;
  const unit = coarser.find((name) => Math.floor(remaining / ms[name]) <= most) ?? "H";
  return `${Math.min(Math.floor(remaining / ms[unit]), most)}${unit}`;
}

/** In ms; undefined where it is none. */
export function readGrpcTimeout(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(digits) * ms[unit as keyof typeof ms];
}
