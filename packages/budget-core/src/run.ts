import type { Call, CallFacts, Denial } from "./call.js";
import { destroyBody } from "./destroy-body.js";
import type { Outcome } from "./outcome.js";

/** How an attempt ended: with a value or with an error. */
export type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

/** What the client is to know of an attempt that it sends. */
export interface Attempt {
  /** What the request's own `body` has made for a retry, if it has made one. */
  readonly body: unknown;
  /** Whether `expire` may come. */
  readonly isTimed: boolean;
  /**
   * The headers that tell the server of it, by lower-case name: to be asked for the URL that it goes
   * to, and again where a redirect leads. Absent where there are none.
   */
  readonly marks?: Call["marks"];
}

/** A client that is a function: what `run` needs to send an attempt and to read its end. */
export interface Runner<Value> {
  send(attempt: Attempt): Promise<Value>;
  outcomeOf(settled: Settled<Value>): Outcome;
  /** Calls back when the caller ends the request; gives the way to stop listening. */
  onAbort(listener: () => void): () => void;
  /** The client's own error for a request that its caller ended. */
  abortError(): unknown;
  /**
   * Ends the attempt in flight, since the call's deadline has come; gives the client's own error for
   * a timeout.
   * @param time the whole of it, in ms
   */
  expire(time: number): unknown;
  /** Lets go of what a failed attempt still holds: before the next one, or when it came too late. */
  discard(settled: Settled<Value>): void;
  /** The request's headers, if `onRetry` may change them. */
  readonly headers?: unknown;
}

const plainAttempt: Attempt = { body: undefined, isTimed: false };

/**
 * Sends the attempts of one call. The success path adds one `then`. What was sent is known by the
 * outcome: a client that is a function fails in the same way before and after it has sent something.
 */
export function run<Value>(call: Call, facts: CallFacts, runner: Runner<Value>): Promise<Value> {
  const denial = call.begin();
  return denial === undefined ? attempt(call, facts, runner) : deny(call, runner, denial);
}

/** Nothing is sent. */
async function deny<Value>(call: Call, runner: Runner<Value>, denial: Denial): Promise<Value> {
  const isBroken = denial.refusal === "breaker";
  const error = isBroken ? denial.error : await runner.expire(denial.time);
  call.settle({ ...outcomeOf(runner, { error }), sent: false, tried: false });
  throw error;
}

function attempt<Value>(
  call: Call,
  facts: CallFacts,
  runner: Runner<Value>,
  body?: unknown,
): Promise<Value> {
  const isTimed = call.hasDeadline;
  const own = call.hasMarks
    ? { body, isTimed, marks: (url: string | URL) => call.marks(url) }
    : unmarked(body, isTimed);
  const sending = call.within(() => sendSafely(runner, own));
  return (isTimed ? inTime(call, runner, sending) : sending).then(
    (value) => decideOn(call, facts, runner, { value }, body),
    (error: unknown) => decideOn(call, facts, runner, { error }, body),
  );
}

function unmarked(body: unknown, isTimed: boolean): Attempt {
  return body === undefined && !isTimed ? plainAttempt : { body, isTimed };
}

/** What is not settled at the deadline never has to be: some clients' requests hang for ever. */
function inTime<Value>(call: Call, runner: Runner<Value>, sending: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const stop = call.onDeadline((time) => {
      isLate = true;
      new Promise((expired) => expired(runner.expire(time))).then(reject, reject);
    });
    const settle = (settled: Settled<Value>): void => {
      stop();
      if (isLate) discard(runner, settled);
      else if ("error" in settled) reject(settled.error);
      else resolve(settled.value);
    };
    sending.then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    );
  });
}

function decideOn<Value>(
  call: Call,
  facts: CallFacts,
  runner: Runner<Value>,
  settled: Settled<Value>,
  body: unknown,
): Value | Promise<Value> {
  const outcome = outcomeOf(runner, settled);
  if (!call.settle(outcome)?.retry) return end(settled, outcome, body);
  return retry(call, facts, runner, settled, outcome, body);
}

async function retry<Value>(
  call: Call,
  facts: CallFacts,
  runner: Runner<Value>,
  settled: Settled<Value>,
  outcome: Outcome,
  sentBody: unknown,
): Promise<Value> {
  const stopListening = runner.onAbort(() => call.abandon());
  // It may have fired in a hook, before anybody listened.
  if (facts.isAborted?.() === true) call.abandon();
  await call.sleep();
  const due = await call.prepare(runner.headers);
  stopListening();
  // Asked again, since not every signal can be listened to.
  const aborted = facts.isAborted?.() === true;
  if (!due && !aborted) return end(settled, outcome, sentBody);
  discard(runner, settled);
  destroyBody(sentBody);
  if (aborted) {
    call.abandon();
    throw await runner.abortError();
  }
  const { body } = call;
  // In doubt a retry counts as sent.
  call.sent();
  return attempt(call, facts, runner, body);
}

/** The caller gets what the client gave. Of a body that was made nobody else would let go. */
function end<Value>(settled: Settled<Value>, { status }: Outcome, body: unknown): Value {
  if (!("error" in settled)) return settled.value;
  // What was answered may still be on its way up.
  if (status === undefined) destroyBody(body);
  throw settled.error;
}

// A client may also fail by throwing at once.
export function sendSafely<Value>(
  runner: Runner<Value>,
  own: Attempt = plainAttempt,
): Promise<Value> {
  try {
    return runner.send(own);
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
