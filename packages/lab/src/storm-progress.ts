import { MultiBar, type SingleBar } from "cli-progress";

/** What is told of the runs of a storm, by name. */
export interface StormProgress {
  begin(run: string): void;
  /** How many originals are done with, as far as the run itself is concerned. */
  done(run: string, originals: number): void;
  end(run: string, received: number): void;
}

/** Bars on a terminal, a line for each finished run elsewhere; on stderr, so that stdout is data. */
export function showProgress(originals: number): StormProgress & { stop(): void } {
  if (!process.stderr.isTTY) return lines();
  const format = "{name} {bar} {value}/{total} originals {state}";
  const bars = new MultiBar({ format, hideCursor: true, stream: process.stderr });
  const byRun = new Map<string, SingleBar>();
  return {
    begin: (run) => {
      byRun.set(run, bars.create(originals, 0, { name: run.padEnd(16), state: "" }));
    },
    done: (run, count) => {
      const state = count === originals ? "waiting for the last answers" : "";
      byRun.get(run)?.update(count, { state });
    },
    end: (run, received) => {
      byRun.get(run)?.update(originals, { state: `${received} received` });
    },
    stop: () => bars.stop(),
  };
}

function lines(): StormProgress & { stop(): void } {
  return {
    begin: (run) => void process.stderr.write(`${run}: begins\n`),
    done: () => undefined,
    end: (run, received) => void process.stderr.write(`${run}: ${received} received\n`),
    stop: () => undefined,
  };
}
