import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createRetryPolicy, type RetryBudgetEvent } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { expect, test } from "vitest";
import { facts } from "./facts.js";
import { warningsDuring } from "./warnings.js";

type Policy = ReturnType<typeof createRetryPolicy>;

function failOnce(policy: Policy, url = "http://a.example"): boolean {
  const call = policy.call(facts({ url }));
  call?.sent();
  const retried = call?.settle({ status: 503 })?.retry === true;
  if (retried) {
    call?.sent();
    call?.settle({ status: 200 });
  }
  return retried;
}

function listen(policy: Policy): string[] {
  const types: string[] = [];
  policy.subscribe((event) => types.push(event.type));
  return types;
}

test("exhausted and replenished are edges, however many refusals and deposits there are", () => {
  const policy = createRetryPolicy({ initial: 1, capacity: 1, ratio: 0.5 });
  const types = listen(policy);
  for (let request = 0; request < 4; request++) failOnce(policy);
  expect(types).toEqual([
    ...["original", "exhausted", "retry"],
    ...["original", "refused"],
    ...["replenished", "original", "exhausted", "retry"],
    ...["original", "refused"],
  ]);
});

test("a refund is an edge, too", () => {
  const policy = createRetryPolicy({ initial: 1, capacity: 1, ratio: 0 });
  const types = listen(policy);
  const call = policy.call(facts());
  call?.sent();
  call?.settle({ status: 503 });
  call?.abandon();
  expect(types).toEqual(["original", "exhausted", "replenished", "refused"]);
});

test("a budget that starts empty is exhausted at its first refusal", () => {
  const policy = createRetryPolicy({ initial: 0 });
  const types = listen(policy);
  failOnce(policy);
  failOnce(policy);
  expect(types).toEqual(["original", "exhausted", "refused", "original", "refused"]);
});

test("a budget that is taken over while it is exhausted does not become so again", () => {
  const policy = createRetryPolicy({ initial: 1, capacity: 1, ratio: 0, maxOrigins: 1 });
  const types = listen(policy);
  failOnce(policy, "http://a");
  failOnce(policy, "http://b");
  expect(types).toEqual(["original", "exhausted", "retry", "evicted", "original", "refused"]);
});

test("what a trickle brings is noticed at the next retry", () => {
  const clock = createManualClock();
  const policy = createRetryPolicy({ initial: 1, capacity: 1, trickle: 1, clock });
  const types = listen(policy);
  failOnce(policy);
  clock.advance(1000);
  failOnce(policy);
  expect(types).toEqual([
    ...["original", "exhausted", "retry"],
    ...["original", "replenished", "exhausted", "retry"],
  ]);
});

test("with a trickle an original reads no clock, also while the budget is exhausted", () => {
  const clock = createManualClock();
  const policy = createRetryPolicy({ initial: 1, capacity: 1, trickle: 1, clock });
  failOnce(policy);
  const { reads } = clock;
  policy.call(facts())?.sent();
  expect(clock.reads).toBe(reads);
});

test("a take-over says which origin was forgotten", () => {
  const policy = createRetryPolicy({ maxOrigins: 1 });
  const events: RetryBudgetEvent[] = [];
  policy.subscribe((event) => events.push(event));
  policy.call(facts({ url: "http://a" }));
  policy.call(facts({ url: "http://b" }));
  expect(events).toEqual([{ v: 1, type: "evicted", origin: "http://a", balance: 10 }]);
});

test("subscribe gives its undo, and one function may listen twice", () => {
  const policy = createRetryPolicy();
  let heard = 0;
  const listener = (): void => {
    heard++;
  };
  const stop = policy.subscribe(listener);
  policy.subscribe(listener);
  policy.call(facts())?.sent();
  expect(heard).toBe(2);
  stop();
  stop();
  policy.call(facts())?.sent();
  expect(heard).toBe(3);
});

test("a listener that subscribes anew while it is called is not called for ever", () => {
  const policy = createRetryPolicy();
  let calls = 0;
  let stop = (): void => undefined;
  const listener = (): void => {
    calls++;
    stop();
    stop = policy.subscribe(listener);
  };
  stop = policy.subscribe(listener);
  policy.call(facts())?.sent();
  expect(calls).toBe(1);
});

test("a listener of a take-over that sends a request mints no budget", () => {
  const policy = createRetryPolicy({ maxOrigins: 2, ratio: 0, capacity: 1 });
  let names = 0;
  policy.subscribe(({ type }) => {
    if (type === "evicted" && names++ < 50) policy.call(facts({ url: `http://nested${names}` }));
  });
  let retries = 0;
  for (let request = 0; request < 20; request++) {
    if (failOnce(policy, `http://h${request}`)) retries++;
  }
  expect([policy.snapshot().length, retries]).toEqual([2, 2]);
});

test("a listener that is no function is a TypeError", () => {
  expect(() => createRetryPolicy().subscribe({} as never)).toThrow(
    "Expected `listener` to be a function, got an object.",
  );
});

test("an observer that throws, now or later, is reported once and changes nothing", async () => {
  const warnings = await warningsDuring(() => {
    const policy = createRetryPolicy();
    policy.subscribe(() => {
      throw new Error("observer");
    });
    policy.subscribe(() => Promise.reject(new Error("later")) as never);
    const types = listen(policy);
    expect([failOnce(policy), failOnce(policy)]).toEqual([true, true]);
    expect(types).toEqual(["original", "retry", "original", "retry"]);
  });
  expect(warnings).toEqual(["RETRY_BUDGET_OBSERVER"]);
});

test("the same events go out on diagnostics_channel", () => {
  const heard: unknown[] = [];
  const names = ["original", "retry", "refused", "exhausted", "replenished", "evicted"];
  const listener = (event: unknown, name: string | symbol): void => {
    heard.push([name, event]);
  };
  for (const name of names) subscribe(`retry-budget:${name}`, listener);
  const policy = createRetryPolicy({ initial: 0, maxOrigins: 1 });
  const events: RetryBudgetEvent[] = [];
  policy.subscribe((event) => events.push(event));
  failOnce(policy);
  failOnce(policy, "http://b");
  for (const name of names) unsubscribe(`retry-budget:${name}`, listener);
  expect(events.length).toBeGreaterThan(4);
  expect(heard).toEqual(events.map((event) => [`retry-budget:${event.type}`, event]));
});

test("the snapshot counts by origin and reason", () => {
  const policy = createRetryPolicy({ initial: 1 });
  failOnce(policy);
  failOnce(policy);
  policy.call(facts({ url: "http://b", method: "POST" }))?.sent();
  const post = policy.call(facts({ url: "http://b", method: "POST" }));
  post?.sent();
  post?.settle({ status: 503 });
  expect(policy.snapshot()).toEqual([
    {
      origin: "http://a.example",
      balance: 0,
      originals: 2,
      retries: 1,
      refusals: { budget: 1 },
      amplification: 1.5,
    },
    {
      origin: "http://b",
      balance: 1,
      originals: 2,
      retries: 0,
      refusals: { method: 1 },
      amplification: 1,
    },
  ]);
});
