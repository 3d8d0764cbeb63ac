import type { NodeCell } from "./bench-cells.js";
import { type ContextRow, contextRows, type Storage, subjectsIn } from "./bench-context-plan.js";
import { middleSpreadOf, paired, type Spread } from "./spread.js";

/** What one thing costs, next to the same without it in the same round. */
export interface ContextCost extends ContextRow {
  readonly node: string;
  /** CPU nanoseconds. */
  readonly nanoseconds: Spread;
  /** What it adds, in CPU nanoseconds. */
  readonly adds?: Spread;
  readonly times?: Spread;
}

/** By process, subject and round. */
export type ContextFigures = Readonly<Record<Storage, readonly (readonly (readonly number[])[])[]>>;

export function contextCosts(
  { nodeVersion }: Pick<NodeCell, "nodeVersion">,
  figures: ContextFigures,
): ContextCost[] {
  const valuesOf = ({ storage, subject }: ContextRow): number[] => {
    const index = subjectsIn(storage).indexOf(subject);
    return figures[storage].flatMap((rounds) => rounds[index] ?? []);
  };
  return contextRows.map((row) => {
    const own = valuesOf(row);
    const cost = { node: nodeVersion, ...row, nanoseconds: middleSpreadOf(own) };
    if (row.over === undefined) return cost;
    const other = valuesOf(row.over);
    return {
      ...cost,
      adds: middleSpreadOf(paired(own, other, (mine, theirs) => mine - theirs)),
      times: middleSpreadOf(paired(own, other, (mine, theirs) => mine / theirs)),
    };
  });
}
