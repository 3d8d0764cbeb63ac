import { runBench } from "./bench.js";
import { reportAxios } from "./bench-axios-report.js";
import { benchAxios } from "./bench-axios-run.js";
import { reportContext } from "./bench-context-report.js";
import { benchContext } from "./bench-context-run.js";
import { reportCore } from "./bench-core-report.js";
import { reportGot } from "./bench-got-report.js";
import { benchGot } from "./bench-got-run.js";
import { reportPRetry } from "./bench-p-retry-report.js";
import { benchPRetry } from "./bench-p-retry-run.js";
import { benchUndici } from "./bench-undici.js";
import { reportUndici } from "./bench-undici-report.js";

export type Progress = (done: number, all: number) => void;

/** What was measured: as data, and for people. */
export interface Measured {
  readonly lines: readonly object[];
  report(): string;
}

export interface Bench {
  /** Whether it measures with the Node versions of test/matrix as well. */
  readonly hasCells: boolean;
  run(progress: Progress): Promise<Measured>;
}

const sizes = [1, 100, 10_000];
const rounds = 9;

/** By what is measured. */
export const benches: Readonly<Record<string, Bench>> = {
  core: benchOf((progress) => runBench(sizes, rounds, progress), reportCore),
  undici: {
    hasCells: true,
    run: async (progress) => {
      const results = await benchUndici(progress);
      const lines = [...results.dispatch, ...results.loopback];
      return { lines, report: () => reportUndici(results) };
    },
  },
  axios: benchOf(benchAxios, reportAxios),
  got: { ...benchOf(benchGot, reportGot), hasCells: true },
  "p-retry": { ...benchOf(benchPRetry, reportPRetry), hasCells: true },
  context: { ...benchOf(benchContext, reportContext), hasCells: true },
};

/** One whose results are its lines. */
function benchOf<Result extends object>(
  measure: (progress: Progress) => Promise<readonly Result[]>,
  report: (results: readonly Result[]) => string,
): Bench {
  return {
    hasCells: false,
    run: async (progress) => {
      const lines = await measure(progress);
      return { lines, report: () => report(lines) };
    },
  };
}
