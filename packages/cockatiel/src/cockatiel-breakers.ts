import { type Breaker, type Breakers, mistake } from "@retry-budget/core";
import type { CircuitBreakerPolicy } from "cockatiel";
import { CockatielBreaker } from "./cockatiel-breaker.js";

/**
 * cockatiel's circuit breakers for the option `breakers` of a retry policy.
 * @param create makes the breaker of an origin; `undefined` leaves that origin without one. Called
 * once for each budget that is held: to have an origin's breaker survive its budget, or to share it
 * between policies, give the one that you gave before.
 * @throws TypeError that names the parameter and the value.
 */
export function cockatielBreakers(
  create: (origin: string) => CircuitBreakerPolicy | undefined,
): Breakers {
  if (typeof create !== "function") throw mistake("create", "a function", create);
  return {
    of: (origin) => {
      const policy: unknown = create(origin);
      // Of what is none, core warns.
      return isCircuitBreaker(policy) ? breakerOf(policy) : (policy as undefined);
    },
  };
}

// Whoever has the same policy has the same breaker: a probe that one abandons is the other's to make.
const breakers = new WeakMap<CircuitBreakerPolicy, Breaker>();

function breakerOf(policy: CircuitBreakerPolicy): Breaker {
  const known = breakers.get(policy);
  if (known !== undefined) return known;
  const breaker = new CockatielBreaker(policy);
  breakers.set(policy, breaker);
  return breaker;
}

/** By its shape: it may come from another copy of cockatiel. A `wrap()` around one has no state. */
function isCircuitBreaker(policy: unknown): policy is CircuitBreakerPolicy {
  const { execute, onStateChange, state } = Object(policy) as Partial<CircuitBreakerPolicy>;
  return [typeof execute, typeof onStateChange, typeof state].join() === "function,function,number";
}
