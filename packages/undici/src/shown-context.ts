import { type Call, refusalCarrier } from "@retry-budget/core";

/** The context that the caller's handler is given, with the way to the refusal in it. */
export function shownContext(context: unknown, call: Call): object {
  const carrier = new Context(call);
  return isObject(context) ? { ...context, ...carrier } : carrier;
}

/**
 * undici copies the context into its results, which are made after the decision. A class, since V8
 * comes to put literals that are made often into its old space, where they keep the whole request.
 */
class Context {
  readonly [refusalCarrier]: Call;

  constructor(call: Call) {
    this[refusalCarrier] = call;
  }
}

function isObject(context: unknown): context is object {
  return typeof context === "object" && context !== null;
}
