import Table from "cli-table3";
import type { DispatchCost } from "./bench-dispatch-cost.js";
import type { LoopbackRate } from "./bench-loopback-rate.js";
import type { UndiciResults } from "./bench-undici.js";
import type { Spread } from "./spread.js";

export function reportUndici({ dispatch, loopback }: UndiciResults): string {
  return (
    "CPU ns that an interceptor adds to one request, over a fake dispatcher; goal: ours at most\n" +
    `half of undici's retry. Medians, (least to most).\n${dispatchTable(dispatch)}\n\n` +
    "Requests per second and CPU µs of one request over loopback, 50 connections; goal: ours at\n" +
    `least 0.97 of the bare rate, and no less than undici's retry.\n${loopbackTable(loopback)}\n`
  );
}

function dispatchTable(costs: readonly DispatchCost[]): string {
  const rows = tableOf([
    "Node",
    "undici",
    "",
    "fake",
    "pass-through",
    "retry",
    "ours",
    "ours ÷ retry",
    "with ours ÷ with pass-through",
    "goal",
  ]);
  for (const { node, undici, request, nanoseconds, ...cost } of costs) {
    rows.push([
      node,
      undici,
      request,
      text(nanoseconds.bare, 0),
      text(nanoseconds["pass-through"], 0),
      text(nanoseconds.retry, 0),
      text(nanoseconds.budget, 0),
      text(cost.timesRetry, 2),
      text(cost.timesPassThrough, 1),
      mark(cost.isGoalMet),
    ]);
  }
  return rows.toString();
}

function loopbackTable(rates: readonly LoopbackRate[]): string {
  const rows = tableOf([
    "Node",
    "undici",
    "",
    "bare",
    "pass-through",
    "retry",
    "ours",
    "ours ÷ bare",
    "ours ÷ retry",
    "goal",
  ]);
  for (const { node, undici, perSecond, cpu, ...rate } of rates) {
    rows.push(
      [
        node,
        undici,
        "per second",
        text(perSecond.bare, 0),
        text(perSecond["pass-through"], 0),
        text(perSecond.retry, 0),
        text(perSecond.budget, 0),
        text(rate.timesBare, 3),
        text(rate.timesRetry, 3),
        mark(rate.isGoalMet),
      ],
      [
        node,
        undici,
        "CPU µs",
        text(cpu.bare, 1),
        text(cpu["pass-through"], 1),
        text(cpu.retry, 1),
        text(cpu.budget, 1),
        text(rate.cpuTimesBare, 3),
        text(rate.cpuTimesRetry, 3),
        "",
      ],
    );
  }
  return rows.toString();
}

function tableOf(head: string[]): Table.Table {
  return new Table({ head, style: { head: [], border: [], compact: true } });
}

function text({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

function mark(isMet: boolean): string {
  return isMet ? "met" : "missed";
}
