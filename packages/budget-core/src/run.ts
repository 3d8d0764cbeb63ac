import type { Call, CallFacts } from "./call.js";
import type { Outcome } from "./outcome.js";

/** How an attempt ended: with a value or with an error. */
export type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

/** A client that is a function: what `run` needs to send an attempt and to read its end. */
export interface Runner<Value> {
  send(): Promise<Value>;
  outcomeOf(settled: Settled<Value>): Outcome;
  /** Calls back when the caller ends the request; gives the way to stop listening. */
  onAbort(listener: () => void): () => void;
  /** The client's own error for a request that its caller ended. */
  abortError(): unknown;
  /** Lets go of what a failed attempt still holds, before the next one or after an abort. */
  discard(settled: Settled<Value>): void;
  /** The request's headers, if `onRetry` may change them. */
  readonly headers?: unknown;
}

/**
 * Sends the attempts of one call. The success path adds one `then`. What was sent is known by the
 * outcome: a client that is a function fails in the same way before and after it has sent something.
 */
export function run<Value>(call: Call, facts: CallFacts, runner: Runner<Value>): Promise<Value> {
  return sendSafely(runner).then(
    (value) => decideOn(call, facts, runner, { value }),
    (error: unknown) => decideOn(call, facts, runner, { error }),
  );
}

function decideOn<Value>(
  call: Call,
  facts: CallFacts,
  runner: Runner<Value>,
  settled: Settled<Value>,
): Value | Promise<Value> {
  if (!call.settle(outcomeOf(runner, settled))?.retry) return unwrap(settled);
  return retry(call, facts, runner, settled);
}

async function retry<Value>(
  call: Call,
  facts: CallFacts,
  runner: Runner<Value>,
  settled: Settled<Value>,
): Promise<Value> {
  const stopListening = runner.onAbort(() => call.abandon());
  // It may have fired in a hook, before anybody listened.
  if (facts.isAborted?.() === true) call.abandon();
  await call.sleep();
  const due = await call.prepare(runner.headers);
  stopListening();
  // Asked again, since not every signal can be listened to.
  const aborted = facts.isAborted?.() === true;
  if (!due && !aborted) return unwrap(settled);
  discard(runner, settled);
  if (aborted) {
    call.abandon();
    throw await runner.abortError();
  }
  // In doubt a retry counts as sent.
  call.sent();
  return run(call, facts, runner);
}

function unwrap<Value>(settled: Settled<Value>): Value {
  if ("error" in settled) throw settled.error;
  return settled.value;
}

// A client may also fail by throwing at once.
export function sendSafely<Value>(runner: Runner<Value>): Promise<Value> {
  try {
    return runner.send();
  } catch (error) {
    return Promise.reject(error);
  }
}

// Errors and responses are whatever somebody made them: what cannot be read is not retried.
function outcomeOf<Value>(runner: Runner<Value>, settled: Settled<Value>): Outcome {
  try {
    return runner.outcomeOf(settled);
  } catch {
    return { ...settled, transient: false };
  }
}

function discard<Value>(runner: Runner<Value>, settled: Settled<Value>): void {
  try {
    runner.discard(settled);
  } catch {
    // It was to be let go of in any case.
  }
}
