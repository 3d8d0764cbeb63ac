import type { Dispatcher } from "undici";

/** Where copies of undici keep the global dispatcher: 6 and 7 read the first, 8 the second. */
const slots = [
  Symbol.for("undici.globalDispatcher.1"),
  Symbol.for("undici.globalDispatcher.2"),
] as const;

/** @throws Error where the built-in `fetch` has no dispatcher that can be composed on. */
export function builtInDispatcher(): Dispatcher {
  loadBuiltIn();
  const dispatcher = read(builtInSlot());
  if (isComposable(dispatcher)) return dispatcher;
  throw new Error(
    "The retry budget cannot be put under the global dispatcher: what is there has no `compose()`. " +
      "Set an Agent of undici (6.19 or later) by setGlobalDispatcher() before, or leave that call out.",
  );
}

/**
 * Puts in place of each global dispatcher what `compose` makes of it.
 * @returns the way back, which leaves alone what somebody else has set since
 */
export function replaceGlobalDispatchers(compose: (old: Dispatcher) => Dispatcher): () => void {
  const undos: (() => void)[] = [];
  // undici 7 keeps one dispatcher in both places.
  const composed = new Map<Dispatcher, Dispatcher>();
  for (const slot of slots) {
    const old = read(slot);
    if (!isComposable(old)) continue;
    const replacement = composed.get(old) ?? compose(old);
    composed.set(old, replacement);
    write(slot, replacement);
    undos.push(() => {
      if (read(slot) === replacement) write(slot, old);
    });
  }
  return () => {
    for (const undo of undos) undo();
  };
}

/**
 * Node loads its copy of undici when one of its classes is first asked for. That of Node 26 then
 * takes the place of what an older undici has set, in which its users have put a proxy or a mock.
 */
function loadBuiltIn(): void {
  const [first] = slots;
  const before = read(first);
  void globalThis.Headers;
  if (isComposable(before) && read(first) !== before) write(first, before);
}

/** Whether there is a dispatcher that an older undici has set, and that the built-in `fetch` does not read. */
export function hasUnreadDispatcher(): boolean {
  const [first, second] = slots.map(read);
  if (builtInSlot() === slots[0] || first === second) return false;
  // undici 8 leaves a wrapper of its own there for older copies.
  return isComposable(first) && first.constructor.name !== "Dispatcher1Wrapper";
}

function builtInSlot(): symbol {
  const major = Number.parseInt(process.versions["undici"] ?? "", 10);
  return major >= 8 ? slots[1] : slots[0];
}

function isComposable(dispatcher: unknown): dispatcher is Dispatcher {
  return typeof (dispatcher as Partial<Dispatcher> | undefined)?.compose === "function";
}

function read(slot: symbol): unknown {
  return Reflect.get(globalThis, slot);
}

// undici defines these as writable, but not as configurable.
function write(slot: symbol, dispatcher: unknown): void {
  if (Reflect.set(globalThis, slot, dispatcher)) return;
  throw new Error(
    "The retry budget cannot be put under the global dispatcher: its place is locked. Compose " +
      "retryBudget() yourself, and give fetch the `dispatcher`.",
  );
}
