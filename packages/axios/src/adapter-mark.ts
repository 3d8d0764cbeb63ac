import type { Adapter, Config, Send } from "./axios-instance.js";

// On the function, so that another copy of this package knows it, too.
const mark: unique symbol = Symbol.for("retry-budget.axios-adapter.v1");

interface Marked {
  readonly [mark]: { readonly adapter: Adapter };
}

/** Marks an adapter of ours with the one that it stands for. */
export function markAdapter(send: Send, adapter: Adapter): Send {
  return Object.assign(send, { [mark]: { adapter } });
}

export function isMarked(adapter: unknown): adapter is Marked {
  return typeof adapter === "function" && mark in adapter;
}

/** The adapter that axios or the caller has chosen, whether or not ours stands for it. */
export function chosenAdapter(adapter: Adapter): Adapter {
  return isMarked(adapter) ? adapter[mark].adapter : adapter;
}

/** Callers send `error.config` again: it must not hold an adapter of ours. */
export function restoreAdapter(config: Config): void {
  const { adapter } = config;
  if (!isMarked(adapter)) return;
  const chosen = chosenAdapter(adapter);
  if (chosen === undefined) Reflect.deleteProperty(config, "adapter");
  else Reflect.set(config, "adapter", chosen);
}
