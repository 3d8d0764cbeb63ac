import type { Call } from "@retry-budget/core";

/** Work that ends at the deadline of its call. */
export interface Timed<Result> {
  readonly result: Promise<Result>;
  /** The deadline does not matter any more. */
  stop(): void;
}

/**
 * Does the work, and rejects at the deadline with what `expire` gives: what the work comes to after
 * that is nobody's.
 */
export function inTime<Result>(
  call: Call,
  work: () => Promise<Result>,
  expire: () => unknown,
): Timed<Result> {
  let stop = (): void => undefined;
  const deadline = new Promise<never>((_, reject) => {
    stop = call.onDeadline(() => reject(expire()));
  });
  // It listens to both, so that a late rejection is not an unhandled one.
  const result = Promise.race([work(), deadline]).finally(() => stop());
  return { result, stop: () => stop() };
}
