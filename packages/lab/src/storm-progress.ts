import { MultiBar, type SingleBar } from "cli-progress";
import type { StormProgress } from "./storm.js";

/** Bars on a terminal, a line for each finished run elsewhere; on stderr, so that stdout is data. */
export function showProgress(originals: number): StormProgress & { stop(): void } {
  if (!process.stderr.isTTY) return lines();
  const format = "{name} {bar} {value}/{total} originals {state}";
  const bars = new MultiBar({ format, hideCursor: true, stream: process.stderr });
  const byRun = new Map<string, SingleBar>();
  const bar = (client: string, policy: string): SingleBar | undefined =>
    byRun.get(`${client} ${policy}`);
  return {
    begin: (client, policy) => {
      const name = `${client} ${policy}`;
      const payload = { name: name.padEnd(16), state: "" };
      byRun.set(name, bars.create(originals, 0, payload));
    },
    sent: (client, policy, count) => {
      const state = count === originals ? "waiting for the last answers" : "";
      bar(client, policy)?.update(count, { state });
    },
    end: ({ client, policy, received }) => {
      bar(client, policy)?.update(originals, { state: `${received} received` });
    },
    stop: () => bars.stop(),
  };
}

function lines(): StormProgress & { stop(): void } {
  return {
    begin: (client, policy) => void process.stderr.write(`${client} ${policy}: begins\n`),
    sent: () => undefined,
    end: ({ client, policy, received }) =>
      void process.stderr.write(`${client} ${policy}: ${received} received\n`),
    stop: () => undefined,
  };
}
