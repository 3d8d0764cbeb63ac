import type { Call } from "@retry-budget/core";

/** For a request that has opted out: nothing is counted, and whatever comes is the caller's. */
export const noCall: Call = {
  attempts: 0,
  pending: false,
  needsPreparing: false,
  begin: () => undefined,
  within: (work) => work(),
  hasMarks: false,
  marks: () => undefined,
  body: undefined,
  continue: () => undefined,
  hasDeadline: false,
  remaining: () => Number.POSITIVE_INFINITY,
  onDeadline: () => () => undefined,
  sent: () => undefined,
  chargeTo: () => undefined,
  settle: () => undefined,
  succeed: () => true,
  sleep: () => Promise.resolve(),
  prepare: () => Promise.resolve(false),
  abandon: () => undefined,
};
