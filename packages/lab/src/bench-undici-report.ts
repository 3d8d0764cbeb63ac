import type { DispatchCost } from "./bench-dispatch-cost.js";
import type { LoopbackRate } from "./bench-loopback-rate.js";
import type { UndiciResults } from "./bench-undici.js";
import { goalWord } from "./goal-word.js";
import { plainTable } from "./plain-table.js";
import type { Spread } from "./spread.js";
import { spreadText } from "./spread-text.js";

export function reportUndici({ dispatch, loopback }: UndiciResults): string {
  return (
    "CPU ns that an interceptor adds to one request, over a fake dispatcher; goal: ours at most\n" +
    `half of undici's retry. Medians, (least to most).\n${dispatchTable(dispatch)}\n\n` +
    "Requests per second and CPU µs of one request over loopback, 50 connections; goal: ours at\n" +
    `least 0.97 of the bare rate, and no less than undici's retry.\n${loopbackTable(loopback)}\n`
  );
}

type Subject = "bare" | "pass-through" | "retry" | "budget";

function cells(by: Readonly<Record<Subject, Spread>>, digits: number): string[] {
  const { bare, retry, budget } = by;
  return [bare, by["pass-through"], retry, budget].map((spread) => spreadText(spread, digits));
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
      ...cells(nanoseconds, 0),
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
        ...cells(perSecond, 0),
        spreadText(rate.timesBare, 3),
        spreadText(rate.timesRetry, 3),
        goalWord(rate.isGoalMet),
      ],
      [
        node,
        undici,
        "CPU µs",
        ...cells(cpu, 1),
        spreadText(rate.cpuTimesBare, 3),
        spreadText(rate.cpuTimesRetry, 3),
        "",
      ],
    );
  }
  return rows.toString();
}
