import { createRetryPolicy, unlimitedBudget } from "@retry-budget/core";
import { retryBudget } from "@retry-budget/p-retry";
import fc from "fast-check";
import pRetry, { AbortError, type Options } from "p-retry";
import { expect, test } from "vitest";
import { hasContext } from "./p-retry-major.js";

const ends = fc.constantFrom("error", "same", "abort", "bug", "network", "text", "signal", "done");
const answers = fc.constantFrom("yes", "no", "throw", "late yes", "late no", "late throw");
const mostly = <Value>(usual: Value, rest: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, rest);

const scripts = fc.record({
  attempts: fc.array(mostly("error", ends), { maxLength: 5 }),
  retries: fc.nat(4),
  minTimeout: fc.constantFrom(0, 1),
  maxRetryTime: fc.constantFrom(undefined, 10_000),
  onFailedAttempt: fc.array(mostly("yes", answers), { maxLength: 3 }),
  shouldRetry: fc.array(mostly("yes", answers), { maxLength: 3 }),
  shouldConsumeRetry: fc.array(mostly("yes", answers), { maxLength: 3 }),
  hasCallbacks: fc.boolean(),
  isAbortedBefore: mostly(false, fc.boolean()),
});
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

const reason = new Error("enough");
const shared = "the same";

/** All that can be seen of one call: which callbacks were told what, in which order, and its end. */
async function playedBy(run: typeof pRetry, script: Script): Promise<unknown[]> {
  const log: unknown[] = [];
  const controller = new AbortController();
  if (script.isAbortedBefore) controller.abort(reason);
  const operation = async (attempt: number): Promise<string> => {
    const end = script.attempts[attempt - 1] ?? "done";
    log.push(["attempt", attempt, end]);
    // p-retry 5 listens to the signal only after the first attempt has begun.
    await Promise.resolve();
    if (end === "done") return `done ${attempt}`;
    if (end === "text") throw `text ${attempt}`;
    if (end === "abort") throw new AbortError(new Error(`abort ${attempt}`));
    if (end === "bug") throw new TypeError(`bug ${attempt}`);
    if (end === "network") throw new TypeError("fetch failed");
    if (end === "signal") controller.abort(reason);
    throw new Error(end === "same" ? shared : `error ${attempt}`);
  };
  const callback = (name: "onFailedAttempt" | "shouldRetry" | "shouldConsumeRetry") => {
    let asked = 0;
    return (failure: object): unknown => {
      const { message, error, attemptNumber, retriesLeft, retriesConsumed } = Object(failure);
      log.push([name, message ?? error?.message, attemptNumber, retriesLeft, retriesConsumed]);
      const answer = script[name][asked++] ?? "yes";
      const give = (): boolean => {
        if (answer.endsWith("throw")) throw new Error(`${name} ${asked}`);
        return answer.endsWith("yes");
      };
      return answer.startsWith("late") ? Promise.resolve().then(give) : give();
    };
  };
  const options = {
    retries: script.retries,
    minTimeout: script.minTimeout,
    factor: 1,
    signal: controller.signal,
    ...(script.maxRetryTime !== undefined && { maxRetryTime: script.maxRetryTime }),
    ...(script.hasCallbacks && {
      onFailedAttempt: callback("onFailedAttempt"),
      shouldRetry: callback("shouldRetry"),
      shouldConsumeRetry: callback("shouldConsumeRetry"),
    }),
  } as Options;
  const describe = (error: unknown): string => `${Object(error).name}: ${Object(error).message}`;
  const end = await run(operation, options).then(
    (result) => ["gives", result],
    (error: unknown) => ["rejects", describe(error)],
  );
  // p-retry 5 and 6 may go on for a while after that.
  await new Promise((resolve) => setTimeout(resolve, 3));
  return [end, ...log];
}

test("under a budget without end nothing that can be seen differs from bare p-retry", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      // Bare p-retry 5 and 6 do not look at such a signal; with a budget it ends the retries.
      fc.pre(hasContext || !script.isAbortedBefore);
      const budgets = { of: () => unlimitedBudget };
      const policy = createRetryPolicy({ budgets, maxAttempts: Number.POSITIVE_INFINITY });
      const retry = retryBudget({ pRetry, AbortError }, policy);
      expect(await playedBy(retry, script)).toEqual(await playedBy(pRetry, script));
    }),
    { numRuns: 250 },
  );
}, 60_000);

test("under a budget of any size retries ≤ tokens + ratio × originals, and what is left is what was not spent", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(scripts, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(
        undefined,
        () => "a",
        ({ message }: Error) => message.slice(0, 3),
      ),
      async (calls, capacity, key) => {
        const policy = createRetryPolicy({ capacity, ratio: 0, maxAttempts: 10 });
        const retry = retryBudget({ pRetry, AbortError }, policy, { key });
        const logs = await Promise.all(calls.map((script) => playedBy(retry, script)));
        const retries = logs
          .flat()
          .filter((entry) => Array.isArray(entry) && entry[0] === "attempt" && entry[1] > 1);
        let spent = 0;
        for (const state of policy.snapshot()) {
          expect(state.retries).toBeLessThanOrEqual(capacity);
          expect(state.balance).toBe(capacity - state.retries);
          spent += state.retries;
        }
        expect(retries).toHaveLength(spent);
      },
    ),
    { numRuns: 100 },
  );
}, 60_000);
