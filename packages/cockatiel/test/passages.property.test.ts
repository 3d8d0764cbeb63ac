import { setImmediate as turn } from "node:timers/promises";
import { cockatielBreakers } from "@retry-budget/cockatiel";
import {
  type Breaker,
  type Call,
  createRetryPolicy,
  type Outcome,
  type Passage,
} from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { until } from "@retry-budget/testkit";
import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  handleAll,
} from "cockatiel";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { halfOpenAfter, passTime } from "./fixture.js";

afterEach(() => {
  vi.useRealTimers();
});

const coded = (code: string): Error => Object.assign(new Error(code), { code });

const outcomes: Record<string, Outcome> = {
  success: { status: 200 },
  unavailable: { status: 503 },
  missing: { status: 404 },
  reset: { error: coded("ECONNRESET") },
  refused: { error: coded("ECONNREFUSED"), sent: false },
  invalid: { error: new TypeError("invalid") },
  aborted: { error: new Error("aborted"), aborted: true, sent: true },
  cached: { status: 200, tried: false },
  unreadable: {
    error: {
      get code(): string {
        throw new Error("a getter of somebody's");
      },
    },
  },
};

const capacity = 3;
const origins = ["http://a.example", "http://b.example"];
/** One step of one of several calls that are under way at the same time. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.keys(outcomes)) },
  { weight: 4, arbitrary: fc.constantFrom("sent", "prepare", "redirect") },
  { weight: 1, arbitrary: fc.constantFrom("abandon", "time", "isolate") },
);
const story = fc.record({
  steps: fc.array(fc.tuple(fc.nat(4), step), { maxLength: 80 }),
  counts: fc.boolean(),
});

/** The breaker, with a count of how often each of its passages was ended. */
function counted(breaker: Breaker, ends: number[]): Breaker {
  return {
    get isOpen() {
      return breaker.isOpen;
    },
    pass: () => {
      const passage: Passage = breaker.pass();
      const number = ends.push(0) - 1;
      const once = <Arguments extends unknown[]>(tell: (...given: Arguments) => void) => {
        return (...given: Arguments): void => {
          ends[number] = (ends[number] ?? 0) + 1;
          tell(...given);
        };
      };
      return {
        succeed: once(passage.succeed),
        fail: once(passage.fail),
        abandon: once(passage.abandon),
      };
    },
  };
}

function world(counts: boolean) {
  const ends: number[] = [];
  const circuits = origins.map(() => {
    const breaker = counts
      ? new CountBreaker({ threshold: 0.5, size: 4 })
      : new ConsecutiveBreaker(2);
    return circuitBreaker(handleAll, { halfOpenAfter, breaker });
  });
  const breakers = cockatielBreakers((origin) => circuits[origins.indexOf(origin)]);
  const policy = createRetryPolicy({
    ...{ clock: createManualClock(), capacity, ratio: 0.1, backoff: () => 0 },
    breakers: {
      of: (origin) => {
        const breaker = breakers.of(origin);
        return breaker && counted(breaker, ends);
      },
    },
  });
  const calls: (Call | undefined)[] = [];
  const begin = (of: number): Call | undefined => {
    const url = origins[of % 2] ?? "";
    const call = policy.call({ client: "test", method: "GET", url, isReplayable: () => true });
    const denial = call?.begin();
    if (denial === undefined) return call;
    call?.settle({ error: Object(denial).error, sent: false, tried: false });
    return undefined;
  };
  return { policy, calls, circuits, ends, begin };
}

async function take(seen: ReturnType<typeof world>, of: number, name: string): Promise<void> {
  if (name === "time") return passTime();
  if (name === "isolate") return seen.circuits[of % 2]?.isolate().dispose();
  const call = seen.calls[of] ?? seen.begin(of);
  seen.calls[of] = call;
  if (name === "prepare") await call?.prepare();
  else if (name === "sent") call?.sent();
  else if (name === "redirect") call?.sent(origins[(of + 1) % 2]);
  else if (name === "abandon") call?.abandon();
  else if (call?.settle(outcomes[name] ?? {})?.retry !== true) seen.calls[of] = undefined;
}

test("whatever attempts come to, each passage ends once, the budget holds, and no circuit is stuck", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ steps, counts }) => {
      const seen = world(counts);
      for (const [of, name] of steps) await take(seen, of, name);
      for (const call of seen.calls) call?.settle({ error: new Error("end"), aborted: true });
      expect(seen.ends.filter((times) => times !== 1)).toEqual([]);
      for (const { originals, retries, balance } of seen.policy.snapshot()) {
        expect(retries).toBeLessThanOrEqual(capacity + 0.1 * originals);
        expect(balance).toBeLessThanOrEqual(capacity);
      }
      // cockatiel hears of an end some turns of the queue later.
      await turn();
      passTime();
      for (const [of, circuit] of seen.circuits.entries()) {
        const probe = seen.begin(of);
        expect(probe).toBeDefined();
        probe?.settle({ status: 200 });
        await until(() => circuit.state === CircuitState.Closed);
      }
    }),
    { numRuns: 500 },
  );
}, 60_000);
