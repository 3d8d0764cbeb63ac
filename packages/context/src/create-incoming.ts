import { type Clock, createWarner, resolveClock, resolveSettings } from "@retry-budget/core";
import { AttemptHistogram, type Attempts } from "./attempt-histogram.js";
import { expectMs, expectShare } from "./expect-number.js";
import { IncomingRequest } from "./incoming-request.js";
import { answerOverload, type Overload } from "./overload.js";
import {
  knownHeaders,
  type ReadMarksOptions,
  type RequestHeaders,
  read,
  readChecks,
} from "./read-marks.js";

export interface IncomingOptions extends ReadMarksOptions {
  /** Ms that every request may take, whatever its headers say. @default none */
  readonly deadline?: number | undefined;
  /** Ms over which attempts are counted. @default 10_000 */
  readonly window?: number | undefined;
  /** Share of retries, from 0 to 1, above which `overload()` forbids them. @default 0.2 */
  readonly mostRetries?: number | undefined;
  /** Time, for tests. @default the system's */
  readonly clock?: Clock | undefined;
}

/** What a server reads of its requests. */
export interface Incoming {
  /** The attempts that came. */
  readonly attempts: Attempts;
  /**
   * Counts a request, once; gives what its handler is to run inside of, or undefined where nothing
   * in its headers asks for that. For servers that have no face here: `run()` its work, and
   * `close()` it once it is answered.
   */
  open(headers: RequestHeaders): IncomingRequest | undefined;
  /** How to answer a request that is too much: "do not retry" where many are retries already. */
  overload(): Overload;
}

/** @throws TypeError that names the field and the value. */
export function createIncoming(options: IncomingOptions = {}): Incoming {
  const settings = { ...defaults, ...resolveSettings(options, checks, "options") };
  const { now } = resolveClock("clock", settings.clock, createWarner());
  const known = knownHeaders(settings);
  const attempts = new AttemptHistogram(settings.window, now);
  return {
    attempts,
    open: (headers) => {
      const marks = read(headers, known);
      attempts.record(marks.attempt ?? 1);
      const remaining = Math.min(marks.remaining ?? settings.deadline, settings.deadline);
      const isPlain = remaining === Number.POSITIVE_INFINITY && !marks.isRetried;
      return isPlain ? undefined : new IncomingRequest({ ...marks, remaining }, now);
    },
    overload: () => answerOverload(attempts.snapshot(), settings.mostRetries, known),
  };
}

const checks = {
  ...readChecks,
  deadline: expectMs,
  window: expectMs,
  mostRetries: expectShare,
  clock: (_: string, value: unknown) => value,
};

const defaults = { deadline: Number.POSITIVE_INFINITY, window: 10_000, mostRetries: 0.2 };
