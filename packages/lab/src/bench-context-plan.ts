/**
 * AsyncLocalStorage in one process: kept from us; there, but never entered; entered at least once,
 * which Node 20 and 22 pay for in every promise from then on.
 */
export const storages = ["absent", "unused", "used"] as const;

export type Storage = (typeof storages)[number];

export interface ContextRow {
  readonly storage: Storage;
  readonly subject: string;
  /** What it is compared with: the same without what is measured. */
  readonly over?: { readonly storage: Storage; readonly subject: string };
}

/** What is measured in the processes. The second call is the noise: it adds nothing to the first. */
export const contextRows: readonly ContextRow[] = [
  { storage: "absent", subject: "a call" },
  { storage: "absent", subject: "again", over: { storage: "absent", subject: "a call" } },
  { storage: "absent", subject: "an await" },
  { storage: "unused", subject: "outerCall()" },
  { storage: "unused", subject: "a call", over: { storage: "absent", subject: "a call" } },
  { storage: "unused", subject: "oneLayer: false", over: { storage: "unused", subject: "a call" } },
  { storage: "unused", subject: "an await", over: { storage: "absent", subject: "an await" } },
  { storage: "used", subject: "outerCall()", over: { storage: "unused", subject: "outerCall()" } },
  { storage: "used", subject: "a call", over: { storage: "unused", subject: "a call" } },
  { storage: "used", subject: "within()", over: { storage: "used", subject: "a call" } },
  { storage: "used", subject: "marks()", over: { storage: "used", subject: "a call" } },
  { storage: "used", subject: "inside a call", over: { storage: "used", subject: "a call" } },
  { storage: "used", subject: "a request" },
  { storage: "used", subject: "forNode", over: { storage: "used", subject: "a request" } },
  { storage: "used", subject: "forNode, marks", over: { storage: "used", subject: "a request" } },
  { storage: "used", subject: "an await", over: { storage: "unused", subject: "an await" } },
];

export function subjectsIn(storage: Storage): string[] {
  return contextRows.filter((row) => row.storage === storage).map(({ subject }) => subject);
}
