import type { Breaker, Outcome, Passage } from "@retry-budget/core";
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  IsolatedCircuitError,
} from "cockatiel";
import { FailedResponseError } from "./failed-response-error.js";

/** A stay inside cockatiel's `execute`: it lasts until an attempt has told how it ended. */
interface Stay {
  readonly isProbe: boolean;
  /** Which half-open circuit it is a probe of. */
  readonly period: number;
  resolve(): void;
  reject(error: unknown): void;
}

// Whom cockatiel makes wait for a probe has been refused, and must not be let in afterwards.
const gone = AbortSignal.abort();

/** One cockatiel policy as core's breaker: what opens and closes it is cockatiel's alone. */
export class CockatielBreaker implements Breaker {
  readonly #policy: CircuitBreakerPolicy;
  /** Those that no attempt has: a probe whose attempt was abandoned is the next one's to make. */
  readonly #free: Stay[] = [];
  #period = 0;
  /** Whether the half-open circuit has let in all the probes that it wants. */
  #isFull = false;

  constructor(policy: CircuitBreakerPolicy) {
    this.#policy = policy;
    policy.onStateChange((state) => {
      if (state !== CircuitState.HalfOpen) this.#beginPeriod();
    });
  }

  // Half-open as well: of the probe's own failure cockatiel knows a moment later, and an open circuit
  // stays so in its books until somebody asks. First attempts ask.
  get isOpen(): boolean {
    return this.#policy.state !== CircuitState.Closed;
  }

  pass(): Passage {
    if (this.#free.length === 0 && !this.#isFull) this.#enter();
    const stay = this.#free.pop();
    if (stay === undefined) throw this.#refusal();
    return {
      succeed: () => stay.resolve(),
      fail: (outcome) => stay.reject(errorOf(outcome)),
      abandon: () => this.#abandon(stay),
    };
  }

  /** What lets an attempt in does so before it returns; what refuses it tells so later. */
  #enter(): void {
    const { state } = this.#policy;
    const isProbe = state !== CircuitState.Closed;
    const isHalfOpen = state === CircuitState.HalfOpen;
    const stay = (): Promise<void> =>
      new Promise((resolve, reject) => {
        this.#free.push({ isProbe, period: this.#period, resolve, reject });
      });
    this.#policy.execute(stay, isHalfOpen ? gone : undefined).catch(() => undefined);
    // Nor will it let in another one before it has decided: one of us waiting there is enough.
    this.#isFull = isHalfOpen && this.#free.length === 0;
  }

  #refusal(): BrokenCircuitError {
    const isIsolated = this.#policy.state === CircuitState.Isolated;
    return isIsolated ? new IsolatedCircuitError() : new BrokenCircuitError();
  }

  #abandon(stay: Stay): void {
    // A closed circuit counts nothing that does not end, and waits for nothing.
    if (!stay.isProbe) return;
    if (stay.period === this.#period) this.#free.push(stay);
    else stay.resolve();
  }

  #beginPeriod(): void {
    this.#period++;
    this.#isFull = false;
    // The circuit is beyond these; only those who wait in `execute` are not.
    for (const stay of this.#free.splice(0)) stay.resolve();
  }
}

/** What the user's own filters see. */
function errorOf(outcome: Outcome): unknown {
  return outcome.error ?? new FailedResponseError(outcome);
}
