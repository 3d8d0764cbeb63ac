import { dispatchCells, loopbackCells } from "./bench-cells.js";
import { type DispatchCost, measureDispatch } from "./bench-dispatch-cost.js";
import { type LoopbackRate, measureLoopback } from "./bench-loopback-rate.js";

export interface UndiciResults {
  readonly dispatch: readonly DispatchCost[];
  readonly loopback: readonly LoopbackRate[];
}

/** One after the other: they would disturb each other. */
export async function benchUndici(
  progress: (done: number, all: number) => void,
): Promise<UndiciResults> {
  const [first, second] = [dispatchCells(), loopbackCells()];
  const all = first.length + second.length;
  const dispatch: DispatchCost[] = [];
  const loopback: LoopbackRate[] = [];
  for (const [index, cell] of first.entries()) {
    progress(index, all);
    dispatch.push(...(await measureDispatch(cell)));
  }
  for (const [index, cell] of second.entries()) {
    progress(first.length + index, all);
    loopback.push(await measureLoopback(cell));
  }
  progress(all, all);
  return { dispatch, loopback };
}
