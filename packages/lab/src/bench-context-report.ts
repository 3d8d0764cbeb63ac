import type { ContextCost } from "./bench-context-cost.js";
import { plainTable } from "./plain-table.js";
import { spreadText } from "./spread-text.js";

export function reportContext(costs: readonly ContextCost[]): string {
  const rows = plainTable(["", "storage", "", "CPU ns", "over", "adds ns", "times"]);
  let above = "";
  for (const { node, storage, subject, nanoseconds, over, adds, times } of costs) {
    rows.push([
      node === above ? "" : `Node ${node}`,
      storage,
      subject,
      spreadText(nanoseconds, 0),
      over === undefined ? "" : overText(over, storage),
      adds === undefined ? "" : spreadText(adds, 0),
      times === undefined ? "" : spreadText(times, 2),
    ]);
    above = node;
  }
  return (
    "CPU ns of one. AsyncLocalStorage in the process: absent = kept from us, unused = never entered,\n" +
    "used = entered by a call or a request. Medians, paired by round, (the middle half of the rounds).\n" +
    `What is compared across processes has their differences in it.\n${rows.toString()}\n`
  );
}

function overText(
  over: { readonly storage: string; readonly subject: string },
  own: string,
): string {
  return over.storage === own ? over.subject : `${over.subject}, ${over.storage}`;
}
