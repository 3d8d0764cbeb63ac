import type { Breaker } from "@retry-budget/core";
import type CircuitBreaker from "opossum";

/** @param circuit `new CircuitBreaker((end: Promise<void>) => end, { timeout: false })` */
export function opossumBreaker(circuit: CircuitBreaker<[Promise<void>], void>): Breaker {
  // fire() then throws opossum's own error at once, where it would reject with it later.
  circuit.on("reject", (error) => {
    throw error;
  });
  return {
    get isOpen() {
      return !circuit.closed;
    },
    pass: () => {
      const isProbe = circuit.halfOpen;
      let settle: (end?: Promise<void>) => void = () => undefined;
      const end = new Promise<void>((resolve) => {
        settle = resolve;
      });
      circuit.fire(end).catch(() => undefined);
      const fail = (error: unknown): void => settle(Promise.reject(error));
      return {
        succeed: () => settle(),
        fail: ({ error, status }) => fail(error ?? new Error(`The server has answered ${status}`)),
        // A probe that nobody ends would keep everybody else out for ever.
        abandon: () => (isProbe ? fail(new Error("The probe was abandoned")) : undefined),
      };
    },
  };
}
