/**
 * Why no retry was made, in the order in which the rules are asked. These words are public:
 * refusals, event fields, metric labels.
 *
 * - `aborted` the caller ended it, or a hook gave the retry up
 * - `permanent` another attempt would not help, or the client itself makes none
 * - `server` the server said no, or its quota is exhausted
 * - `method` not idempotent, and the server may have acted on it
 * - `body` the body cannot be sent again in full
 * - `attempts` the request has had its attempts
 * - `layer` another layer retries this
 * - `retry-after` the server asks for a longer wait than allowed
 * - `deadline` the wait would end after the deadline
 * - `breaker` the circuit is open
 * - `budget` no token
 * - `futile` the guard holds it back
 */
export type Refusal =
  | "aborted"
  | "permanent"
  | "server"
  | "method"
  | "body"
  | "attempts"
  | "layer"
  | "retry-after"
  | "deadline"
  | "breaker"
  | "budget"
  | "futile";

/** What `refusalOf` gives. */
export interface RefusalDetails {
  readonly refusal: Refusal;
  /** The key of the budget that was in charge. */
  readonly origin: string;
  /** Attempts made, the first included. */
  readonly attempts: number;
  /** Whole retries left in the budget at that moment. */
  readonly balance: number;
  /** The wait that the server asked for, in ms, where it asked for one. */
  readonly retryAfter?: number;
}

// On globalThis, so that two copies of this package read each other's refusals.
const store = Symbol.for("retry-budget.refusals.v1");
/** The property under which a client's `context` carries the object that a refusal is kept for. */
export const refusalCarrier: unique symbol = Symbol.for("retry-budget.refusal-carrier.v1");

function refusals(): WeakMap<object, RefusalDetails> {
  const shared = globalThis as { [store]?: WeakMap<object, RefusalDetails> };
  shared[store] ??= new WeakMap();
  return shared[store];
}

/** @param carriers what the refusal is kept for; what is no object keeps none */
export function recordRefusal(carriers: readonly unknown[], details: RefusalDetails): void {
  for (const carrier of carriers.filter(isObject)) refusals().set(carrier, details);
}

/**
 * Why the call that ended with this result or error was not retried (again), or `undefined` where
 * nothing was refused. Finds it through the `cause` chain of an error, too.
 */
export function refusalOf(resultOrError: unknown): RefusalDetails | undefined {
  let subject = resultOrError;
  for (let depth = 0; depth < 8 && isObject(subject); depth++) {
    const details = refusals().get(subject) ?? refusals().get(carrierOf(subject));
    if (details !== undefined) return details;
    subject = (subject as { cause?: unknown }).cause;
  }
  return undefined;
}

function carrierOf(subject: object): object {
  const { context } = subject as { context?: { [refusalCarrier]?: object } | null };
  return context?.[refusalCarrier] ?? subject;
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}
