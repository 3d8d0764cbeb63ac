import type { DispatchCost } from "./bench-dispatch-cost.js";
import type { LoopbackRate } from "./bench-loopback-rate.js";
import type { UndiciResults } from "./bench-undici.js";
import { goalWord } from "./goal-word.js";
import { plainTable } from "./plain-table.js";
import { spreadText } from "./spread-text.js";

export function reportUndici({ dispatch, loopback }: UndiciResults): string {
  return (
    "CPU ns that an interceptor adds to one request, over a fake dispatcher; goal: ours at most\n" +
    `half of undici's retry. Medians, (least to most).\n${dispatchTable(dispatch)}\n\n` +
    "Requests per second and CPU µs of one request over loopback, 50 connections; goal: ours at\n" +
    `least 0.97 of the bare rate, and no less than undici's retry.\n${loopbackTable(loopback)}\n`
  );
}

function dispatchTable(costs: readonly DispatchCost[]): string {
  const rows = plainTable([
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
      spreadText(nanoseconds.bare, 0),
      spreadText(nanoseconds["pass-through"], 0),
      spreadText(nanoseconds.retry, 0),
      spreadText(nanoseconds.budget, 0),
      spreadText(cost.timesRetry, 2),
      spreadText(cost.timesPassThrough, 1),
      goalWord(cost.isGoalMet),
    ]);
  }
  return rows.toString();
}

function loopbackTable(rates: readonly LoopbackRate[]): string {
  const rows = plainTable([
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
        spreadText(perSecond.bare, 0),
        spreadText(perSecond["pass-through"], 0),
        spreadText(perSecond.retry, 0),
        spreadText(perSecond.budget, 0),
        spreadText(rate.timesBare, 3),
        spreadText(rate.timesRetry, 3),
        goalWord(rate.isGoalMet),
      ],
      [
        node,
        undici,
        "CPU µs",
        spreadText(cpu.bare, 1),
        spreadText(cpu["pass-through"], 1),
        spreadText(cpu.retry, 1),
        spreadText(cpu.budget, 1),
        spreadText(rate.cpuTimesBare, 3),
        spreadText(rate.cpuTimesRetry, 3),
        "",
      ],
    );
  }
  return rows.toString();
}
