import Table from "cli-table3";

/** A table without colours, for terminals and files alike. */
export function plainTable(
  head: string[],
  colAligns: Table.HorizontalAlignment[] = [],
): Table.Table {
  return new Table({ head, colAligns, style: { head: [], border: [], compact: true } });
}
