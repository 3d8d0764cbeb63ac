import { token } from "./budget-options.js";
import type { Clock } from "./clock.js";

/** Units that time alone has earned since they were last collected. */
export class Trickle {
  readonly #unitsPerMs: number;
  readonly #clock: Clock;
  #since: number;
  #fraction = 0;

  constructor(tokensPerSecond: number, clock: Clock) {
    this.#unitsPerMs = (tokensPerSecond * token) / 1000;
    this.#clock = clock;
    this.#since = clock.now();
  }

  collect(): number {
    const now = this.#clock.now();
    // A clock that steps back earns nothing and takes nothing.
    const earned = this.#fraction + Math.max(0, now - this.#since) * this.#unitsPerMs;
    this.#since = now;
    const whole = Math.floor(earned);
    this.#fraction = earned - whole;
    return whole;
  }
}
