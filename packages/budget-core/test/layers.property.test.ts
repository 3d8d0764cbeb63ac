import { createRetryPolicy, type RetryPolicy } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { facts } from "./facts.js";

type Send = () => Promise<number>;

/** A client of its own for each layer: sends what is beneath it, again and again where it may. */
function layered(policy: RetryPolicy, beneath: Send): Send {
  return async () => {
    const call = policy.call(facts());
    if (call === undefined) throw new Error("opted out");
    for (;;) {
      call.sent();
      const status = await call.within(beneath);
      if (call.settle({ status })?.retry !== true) return status;
      if (!(await call.prepare())) return status;
    }
  };
}

const layer = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  ratio: fc.constantFrom(0, 0.1, 0.5, 1, 2),
  capacity: fc.integer({ min: 1, max: 10 }),
});

test("of layers inside one another one retries, and the load keeps to its budget alone", async () => {
  const property = fc.asyncProperty(
    fc.array(layer, { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(200, 503, 503), { minLength: 1, maxLength: 60 }),
    fc.integer({ min: 1, max: 30 }),
    async (layers, answers, originals) => {
      let received = 0;
      const server: Send = async () => answers[received++ % answers.length] ?? 200;
      const send = layers.reduceRight<Send>(
        (beneath, options) =>
          layered(
            createRetryPolicy({ ...options, backoff: () => 0, clock: createManualClock() }),
            beneath,
          ),
        server,
      );
      const retrying = layers.find(({ maxAttempts }) => maxAttempts > 1);
      for (let original = 0; original < originals; original++) {
        const before = received;
        await send();
        expect(received - before).toBeLessThanOrEqual(retrying?.maxAttempts ?? 1);
      }
      const { capacity = 0, ratio = 0 } = retrying ?? {};
      expect(received - originals).toBeLessThanOrEqual(capacity + ratio * originals);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
