import { createIncoming, type Preset } from "@retry-budget/context";
import { createRetryPolicy } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";

const names = [
  "retry-budget-attempt",
  "retry-budget-retried",
  "retry-budget-deadline",
  "x-envoy-attempt-count",
  "x-envoy-max-retries",
  "x-envoy-expected-rq-timeout-ms",
  "grpc-previous-rpc-attempts",
  "grpc-timeout",
  "amz-sdk-request",
] as const;

const integer = fc.integer({ min: -10, max: 1e9 }).map(String);

/** Anything, and much that comes near to what is expected. */
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  integer,
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.tuple(integer, integer).map((both) => both.join(", ")),
  fc
    .tuple(fc.nat(), fc.constantFrom("H", "M", "S", "m", "u", "n", "x"))
    .map((both) => both.join("")),
  fc.tuple(integer, integer).map(([attempt, most]) => `attempt=${attempt}; max=${most}`),
  fc.constantFrom("0", "1", "", "true", "0x10", "1e9", "NaN", "Infinity", "-0"),
  fc.array(fc.string()),
);

const headers = fc.dictionary(fc.constantFrom(...names), value as fc.Arbitrary<string>);
const presets = fc.subarray<Preset>(["envoy", "grpc", "aws"]);
const time = fc.constantFrom(Number.POSITIVE_INFINITY, 5, 500);

/** How long a failing request may go on inside a server, and how often it is sent. */
function failing(sent: Record<string, string>, chosen: Preset[], deadline: number, own: number) {
  const clock = createManualClock();
  const incoming = createIncoming({ clock, deadline, presets: chosen });
  const policy = createRetryPolicy({ clock, deadline: own, backoff: { jitter: "none" } });
  const request = incoming.open(sent);
  const remaining = request?.remaining() ?? Number.POSITIVE_INFINITY;
  const count = (): { attempts: number; retries: number; balance: number } => {
    const facts = { client: "test", method: "GET", url: "http://a", isReplayable: () => true };
    const call = policy.call(facts);
    let isGoing = call?.begin() === undefined;
    while (isGoing && call !== undefined) {
      call.sent();
      isGoing = call.settle({ status: 503 })?.retry === true;
    }
    const [{ retries = 0, balance = 0 } = {}] = policy.snapshot();
    return { attempts: call?.attempts ?? 0, retries, balance };
  };
  return { remaining, ...(request === undefined ? count() : request.run(count)) };
}

// Many runs, beside whatever else the machine does.
const timeout = 60_000;

test(
  "whatever a caller sends, it gets no more time and no more retries than without",
  () => {
    fc.assert(
      fc.property(headers, presets, time, time, (sent, chosen, deadline, own) => {
        const bare = failing({}, [], deadline, own);
        const marked = failing(sent, chosen, deadline, own);
        expect(marked.remaining).toBeLessThanOrEqual(bare.remaining);
        expect(marked.attempts).toBeLessThanOrEqual(bare.attempts);
        expect(marked.retries).toBeLessThanOrEqual(bare.retries);
        expect(marked.balance).toBeGreaterThanOrEqual(bare.balance);
      }),
      { numRuns: 1000 },
    );
  },
  timeout,
);

test(
  "whatever callers send, memory is bounded, and each request is counted once",
  () => {
    fc.assert(
      fc.property(fc.array(headers, { maxLength: 50 }), presets, (all, chosen) => {
        const incoming = createIncoming({ presets: chosen });
        for (const sent of all) incoming.open(sent);
        const { counts, total, retryShare } = incoming.attempts.snapshot();
        const numbers = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10+"];
        expect(numbers).toEqual(expect.arrayContaining(Object.keys(counts)));
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);
        expect(total).toBe(all.length);
        expect(retryShare).toBeGreaterThanOrEqual(0);
        expect(retryShare).toBeLessThanOrEqual(1);
      }),
    );
  },
  timeout,
);
