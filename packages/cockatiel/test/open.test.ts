import { createManualClock } from "@retry-budget/core/testing";
import { hang, refusingUrl, reset, serve, status, until } from "@retry-budget/testkit";
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  type IBreaker,
  IsolatedCircuitError,
  SamplingBreaker,
} from "cockatiel";
import { expect, test } from "vitest";
import { circuit, fixture } from "./fixture.js";

const rules: [string, () => IBreaker][] = [
  ["ConsecutiveBreaker", () => new ConsecutiveBreaker(4)],
  ["CountBreaker", () => new CountBreaker({ threshold: 0.5, size: 4 })],
  ["SamplingBreaker", () => new SamplingBreaker({ threshold: 0.5, duration: 1000, minimumRps: 4 })],
];

test.each(rules)(
  "%s opens by what attempts come to: from then on they fail at once and nothing is sent",
  async (_, rule) => {
    const server = await serve(status(503));
    const { send, circuitOf, policy } = fixture(() => circuit(rule()), { maxAttempts: 2 });
    await send(server.url);
    await send(server.url);
    await until(() => circuitOf(server.url).state === CircuitState.Open);
    const before = policy.snapshot()[0];
    expect(before).toMatchObject({ originals: 2, retries: 2 });

    const { error, refusal } = await send(server.url);
    expect(error).toBeInstanceOf(BrokenCircuitError);
    expect(refusal).toBe("breaker");
    expect(server.hits).toHaveLength(4);
    expect(policy.snapshot()).toMatchObject([
      { originals: 2, retries: 2, balance: before?.balance, refusals: { breaker: 1 } },
    ]);
  },
);

test("an outage costs what it takes to open the circuit, and no token after that", async () => {
  const server = await serve(status(503));
  const { send, policy } = fixture(() => circuit(new ConsecutiveBreaker(5)), { ratio: 0 });
  for (let original = 0; original < 100; original++) await send(server.url);
  expect(server.hits).toHaveLength(5);
  expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 3, balance: 7 }]);
});

test.each([
  ["a POST that no retry is made of", "POST", status(503)],
  ["a lost connection", "POST", reset()],
  ["what the server answered", "GET", status(503)],
])("it hears of %s", async (_, method, reply) => {
  const server = await serve(reply);
  const { send, circuitOf } = fixture(undefined, { maxAttempts: 1 });
  await send(server.url, { method });
  await until(() => circuitOf(server.url).state === CircuitState.Open);
  expect(await send(server.url, { method })).toMatchObject({
    error: expect.any(BrokenCircuitError),
  });
  expect(server.hits).toHaveLength(1);
});

test("it hears of a refused connection", async () => {
  const url = await refusingUrl();
  const { send, circuitOf } = fixture(undefined, { maxAttempts: 1 });
  await send(url);
  await until(() => circuitOf(url).state === CircuitState.Open);
  expect((await send(url)).error).toBeInstanceOf(BrokenCircuitError);
});

test("what is no failure of the server's does not open it: a 404, a caller's abort, a bad request", async () => {
  const server = await serve(status(404), hang());
  const { send, circuitOf } = fixture();
  expect(await send(server.url)).toMatchObject({ status: 404, refusal: "permanent" });
  const caller = new AbortController();
  const aborted = send(server.url, { signal: caller.signal });
  await server.received(2);
  caller.abort();
  expect(await aborted).toMatchObject({ error: { name: "AbortError" }, refusal: "aborted" });
  expect(await send(server.url, { headers: { "not a name": "1" } })).toMatchObject({
    refusal: "permanent",
  });
  expect(circuitOf(server.url).state).toBe(CircuitState.Closed);
});

test("a deadline that ends an attempt is a failure", async () => {
  const server = await serve(hang());
  const clock = createManualClock();
  const { send, circuitOf } = fixture(undefined, { clock, deadline: 500 });
  const sent = send(server.url);
  await server.received(1);
  clock.advance(500);
  expect((await sent).refusal).toBe("deadline");
  await until(() => circuitOf(server.url).state === CircuitState.Open);
});

test("one that opens during a backoff lets the retry not go, and gives its token back", async () => {
  const server = await serve(status(503));
  const clock = createManualClock();
  const { send, circuitOf, policy } = fixture(undefined, { clock, backoff: () => 100 });
  const sent = send(server.url);
  await until(() => clock.pending === 1);
  expect(policy.snapshot()).toMatchObject([{ balance: 9 }]);
  await until(() => circuitOf(server.url).state === CircuitState.Open);
  clock.advance(100);
  expect(await sent).toEqual({ status: 503, refusal: "breaker" });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0, refusals: { breaker: 1 } }]);
  expect(server.hits).toHaveLength(1);
});

test("one that another call opened keeps a failed call from a retry, and no token is taken", async () => {
  const { send, circuitOf, policy } = fixture();
  let answer = (): void => undefined;
  const slow = await serve((response) => {
    answer = () => void response.writeHead(503).end();
  });
  const sent = send(slow.url);
  await slow.received(1);
  const handle = circuitOf(slow.url).isolate();
  answer();
  expect(await sent).toEqual({ status: 503, refusal: "breaker" });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { breaker: 1 } }]);
  handle.dispose();
});

test("isolate() holds everything back with cockatiel's own error, until it is disposed of", async () => {
  const server = await serve(status(200));
  const { send, circuitOf } = fixture();
  await send(server.url);
  const handle = circuitOf(server.url).isolate();
  const { error, refusal } = await send(server.url, { method: "POST" });
  expect([error, refusal]).toEqual([expect.any(IsolatedCircuitError), "breaker"]);
  handle.dispose();
  expect(await send(server.url)).toMatchObject({ status: 200 });
  expect(server.hits).toHaveLength(2);
});

test("the circuit of one origin is none of another's", async () => {
  const [down, up] = [await serve(status(503)), await serve(status(200))];
  const { send, circuitOf } = fixture(undefined, { maxAttempts: 1 });
  await send(down.url);
  await until(() => circuitOf(down.url).state === CircuitState.Open);
  expect((await send(down.url)).refusal).toBe("breaker");
  expect(await send(up.url)).toEqual({ status: 200, refusal: undefined });
  expect(circuitOf(up.url).state).toBe(CircuitState.Closed);
});
