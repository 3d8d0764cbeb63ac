import { do_not_optimize, measure } from "mitata";
import { type Subject, subjects } from "./bench-subjects.js";
import { ratiosOf, spreadOf } from "./spread.js";

export interface BenchResult {
  readonly subject: string;
  readonly origins: number;
  /** Median ns for one look-up, deposit and withdrawal. */
  readonly nanoseconds: number;
  /** Times the bare look-up of the same round: median, least and most over the rounds. */
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
}

const batch = 1000;

/** Every subject in turn, round after round, so that a noisy moment meets them all. */
export async function runBench(
  sizes: readonly number[],
  rounds: number,
  progress: (done: number, all: number) => void,
): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  let done = 0;
  for (const size of sizes) {
    // Compiles everything before it is measured.
    for (const subject of subjects) await timeOf(subject, size);
    const times = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
    for (let round = 0; round < rounds; round++) {
      for (const subject of subjects) {
        times.get(subject)?.push(await timeOf(subject, size));
        progress(++done, sizes.length * rounds * subjects.length);
      }
    }
    const [bare = []] = times.values();
    for (const [subject, own] of times) results.push(compare(subject.name, size, own, bare));
  }
  return results;
}

async function timeOf(subject: Subject, size: number): Promise<number> {
  const origins = Array.from({ length: size }, (_, index) => `https://host-${index}.example`);
  const account = subject.prepare(origins);
  let next = 0;
  const { p50 } = await measure(
    () => {
      for (let request = 0; request < batch; request++) {
        do_not_optimize(account(origins[next] ?? ""));
        next = next + 1 === size ? 0 : next + 1;
      }
    },
    { min_cpu_time: 60_000_000 },
  );
  return p50 / batch;
}

function compare(subject: string, origins: number, own: number[], bare: number[]): BenchResult {
  const { median: ratio, least, most } = ratiosOf(own, bare);
  return { subject, origins, nanoseconds: spreadOf(own).median, ratio, least, most };
}
