import { contain } from "./contain.js";
import type { Warn } from "./warnings.js";

/**
 * What the work inside a call, or inside a request that a server handles, is to know of it: of
 * layers that retry one inside the other only the outermost does (the SRE book, chapter 22).
 */
export interface OuterCall {
  /** Whether it is sent again if it fails: then what is inside it is not. */
  readonly isRetried: boolean;
  /** Number of its attempt that is under way, from 1. */
  readonly attempt: number;
  /** Whether it has ended: what it has started and goes on is on its own. */
  readonly isOver: boolean;
  /** What it is inside of itself. */
  readonly outer: OuterCall | undefined;
  /** Ms until its deadline, not above 0 where that has passed; Infinity where it has none. */
  remaining(): number;
}

interface Storage {
  getStore(): OuterCall | undefined;
  run<Result>(outer: OuterCall, work: () => Result): Result;
}

interface BuiltinProcess {
  getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new () => Storage } | undefined;
}

// On globalThis, so that two copies of this package see each other's calls.
const slot = Symbol.for("retry-budget.outer-call.v1");

function sharedStorage(): Storage | undefined {
  const shared = globalThis as { [slot]?: Storage; process?: BuiltinProcess };
  const builtin = shared.process?.getBuiltinModule?.("async_hooks");
  if (builtin !== undefined) shared[slot] ??= new builtin.AsyncLocalStorage();
  return shared[slot];
}

// Costs nothing before the first `run`. Where there is no such module nobody is ever inside.
const storage = sharedStorage();

/** What the code that asks is inside of, and has not ended. */
export function outerCall(): OuterCall | undefined {
  let outer = storage?.getStore();
  while (outer?.isOver === true) outer = outer.outer;
  return outer;
}

/** Does the work, and all that it starts, inside. */
export function runInside<Result>(outer: OuterCall, work: () => Result): Result {
  return storage === undefined ? work() : storage.run(outer, work);
}

const nothing: { readonly left: number; readonly isRetried: boolean } = {
  left: Number.POSITIVE_INFINITY,
  isRetried: false,
};

/** Anybody may have made it: what it does not say counts as nothing to keep to. */
export function readOuter(outer: OuterCall | undefined, warn: Warn): typeof nothing {
  if (outer === undefined) return nothing;
  const said = contain(warn, "outerCall", () => {
    const left: unknown = outer.remaining();
    const isNumber = typeof left === "number" && !Number.isNaN(left);
    return { left: isNumber ? left : nothing.left, isRetried: outer.isRetried === true };
  });
  return said ?? nothing;
}
