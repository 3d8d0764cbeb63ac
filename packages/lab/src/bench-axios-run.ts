import { type AxiosCost, type AxiosPart, axiosCosts } from "./bench-axios-cost.js";
import { type BenchPlan, measureProcesses } from "./bench-processes.js";

const module = new URL("./bench-axios.js", import.meta.url);
const plans: Readonly<Record<AxiosPart, BenchPlan>> = {
  stub: { calls: 1000, warmUps: 8, rounds: 20, generations: 4 },
  loopback: { calls: 300, warmUps: 6, rounds: 20, generations: 4 },
};

export async function benchAxios(
  progress: (done: number, all: number) => void,
): Promise<AxiosCost[]> {
  const costs: AxiosCost[] = [];
  const { stub, loopback } = plans;
  let done = 0;
  const tick = (): void => progress(done++, stub.generations + loopback.generations);
  for (const part of ["stub", "loopback"] as const) {
    const subject = { module, node: process.execPath, hasServer: part === "loopback" };
    costs.push(...axiosCosts(part, await measureProcesses(subject, plans[part], tick)));
  }
  progress(1, 1);
  return costs;
}
