import type { Call } from "./call.js";
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

/** Sends the attempts of one call. The success path adds one `then`. */
export function run<Value>(call: Call, runner: Runner<Value>): Promise<Value> {
  call.sent();
  return sendSafely(runner).then(
    (value) => decideOn(call, runner, { value }),
    (error: unknown) => decideOn(call, runner, { error }),
  );
}

function decideOn<Value>(
  call: Call,
  runner: Runner<Value>,
  settled: Settled<Value>,
): Value | Promise<Value> {
  if (!call.settle(runner.outcomeOf(settled)).retry) return unwrap(settled);
  return retry(call, runner, settled);
}

async function retry<Value>(
  call: Call,
  runner: Runner<Value>,
  settled: Settled<Value>,
): Promise<Value> {
  let aborted = false;
  const stopListening = runner.onAbort(() => {
    aborted = true;
    call.abandon();
  });
  const due = await call.pause(runner.headers);
  stopListening();
  if (!due && !aborted) return unwrap(settled);
  runner.discard(settled);
  if (aborted) throw await runner.abortError();
  return run(call, runner);
}

function unwrap<Value>(settled: Settled<Value>): Value {
  if ("error" in settled) throw settled.error;
  return settled.value;
}

// A client may also fail by throwing at once.
function sendSafely<Value>(runner: Runner<Value>): Promise<Value> {
  try {
    return runner.send();
  } catch (error) {
    return Promise.reject(error);
  }
}
