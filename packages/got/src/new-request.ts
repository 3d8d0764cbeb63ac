// On globalThis, so that two copies of this package account for a request once.
const slot = Symbol.for("retry-budget.got-requests.v1");

/** Whether no retry budget has this request's options yet: the first to act keeps it. */
export function isNewRequest(options: object | undefined): boolean {
  // got hands on `undefined` when it could not make options of what the caller gave.
  if (options === undefined) return false;
  const shared = globalThis as { [slot]?: WeakSet<object> };
  shared[slot] ??= new WeakSet();
  if (shared[slot].has(options)) return false;
  shared[slot].add(options);
  return true;
}
