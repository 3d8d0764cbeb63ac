import { cockatielBreakers } from "@retry-budget/cockatiel";
import {
  createRetryPolicy,
  type Refusal,
  type RetryPolicyOptions,
  type Runner,
  refusalOf,
} from "@retry-budget/core";
import {
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IBreaker,
} from "cockatiel";
import { vi } from "vitest";

export const halfOpenAfter = 30_000;

/** A breaker of cockatiel's own that opens by the first failure, or by the rule of the test. */
export function circuit(breaker: IBreaker = new ConsecutiveBreaker(1)): CircuitBreakerPolicy {
  return circuitBreaker(handleAll, { halfOpenAfter, breaker });
}

/** cockatiel reads the time from Date alone: sockets and timers go on as ever. */
export function passTime(ms: number = halfOpenAfter): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

export interface Sent {
  readonly status?: number;
  readonly error?: unknown;
  readonly refusal: Refusal | undefined;
}

/** fetch under a policy whose breakers are cockatiel's, one for each origin. */
export function fixture(
  create: (origin: string) => CircuitBreakerPolicy | undefined = () => circuit(),
  options: RetryPolicyOptions = {},
) {
  const circuits = new Map<string, CircuitBreakerPolicy>();
  const breakers = cockatielBreakers((origin) => {
    const made = create(origin);
    if (made !== undefined) circuits.set(origin, made);
    return made;
  });
  const policy = createRetryPolicy({ backoff: () => 0, breakers, ...options });
  const send = async (url: string, init: RequestInit = {}): Promise<Sent> => {
    const facts = {
      client: "fetch",
      method: init.method ?? "GET",
      url,
      isReplayable: () => true,
      isAborted: () => init.signal?.aborted === true,
    };
    try {
      const response = await policy.run(facts, runnerOf(url, init));
      await response.arrayBuffer();
      return { status: response.status, refusal: refusalOf(response)?.refusal };
    } catch (error) {
      return { error, refusal: refusalOf(error)?.refusal };
    }
  };
  const circuitOf = (url: string): CircuitBreakerPolicy => {
    const made = circuits.get(url);
    if (made === undefined) throw new Error(`no circuit for ${url}`);
    return made;
  };
  return { policy, send, circuitOf };
}

function runnerOf(url: string, init: RequestInit): Runner<Response> {
  const { signal } = init;
  return {
    send: () => fetch(url, init),
    outcomeOf: (settled) => {
      if ("error" in settled) return { error: settled.error };
      const { status } = settled.value;
      return { status, response: settled.value };
    },
    onAbort: (listener) => {
      signal?.addEventListener("abort", listener);
      return () => signal?.removeEventListener("abort", listener);
    },
    abortError: () => signal?.reason,
    expire: () => new DOMException("timeout", "TimeoutError"),
    discard: (settled) => {
      if ("value" in settled) void settled.value.body?.cancel();
    },
  };
}
