import { setImmediate as turn } from "node:timers/promises";
import { cockatielBreakers } from "@retry-budget/cockatiel";
import { createManualClock } from "@retry-budget/core/testing";
import { errorOf, hang, serve, status, until } from "@retry-budget/testkit";
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
} from "cockatiel";
import { afterEach, expect, test, vi } from "vitest";
import { cockatielMajor } from "./cockatiel-major.js";
import { circuit, fixture, halfOpenAfter, passTime } from "./fixture.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A circuit that failures have opened, at a time when cockatiel lets a probe go. */
async function dueForProbe(
  seen: ReturnType<typeof fixture>,
  url: string,
  failures = 1,
): Promise<void> {
  for (let sent = 0; sent < failures; sent++) await seen.send(url, { method: "POST" });
  await until(() => seen.circuitOf(url).state === CircuitState.Open);
  passTime();
}

const isClosed = (seen: ReturnType<typeof fixture>, url: string): Promise<void> =>
  until(() => seen.circuitOf(url).state === CircuitState.Closed);

test("one probe goes at a time: who comes meanwhile is not made to wait, and fails at once", async () => {
  let answer = (): void => undefined;
  const server = await serve(status(503), (response) => {
    answer = () => void response.end();
  });
  const seen = fixture();
  await dueForProbe(seen, server.url);
  const probe = seen.send(server.url);
  await server.received(2);
  for (let other = 0; other < 20; other++) {
    expect(await seen.send(server.url)).toMatchObject({
      error: expect.any(BrokenCircuitError),
      refusal: "breaker",
    });
  }
  answer();
  expect(await probe).toEqual({ status: 200, refusal: undefined });
  await isClosed(seen, server.url);
  expect(server.hits).toHaveLength(2);
});

test("recovery brings the retries back", async () => {
  const down = status(503);
  const server = await serve(down, down, status(200), down, status(200));
  const seen = fixture(() => circuit(new ConsecutiveBreaker(2)));
  await dueForProbe(seen, server.url, 2);
  expect(await seen.send(server.url)).toMatchObject({ status: 200 });
  await isClosed(seen, server.url);
  expect(await seen.send(server.url)).toEqual({ status: 200, refusal: undefined });
  expect(server.hits).toHaveLength(5);
  expect(seen.policy.snapshot()).toMatchObject([{ originals: 4, retries: 1 }]);
});

test("a probe that fails opens it again and is not retried; the next one waits its time", async () => {
  const server = await serve(status(503));
  const seen = fixture();
  await dueForProbe(seen, server.url);
  expect(await seen.send(server.url)).toEqual({ status: 503, refusal: "breaker" });
  await until(() => seen.circuitOf(server.url).state === CircuitState.Open);
  passTime(halfOpenAfter / 2);
  expect((await seen.send(server.url)).error).toBeInstanceOf(BrokenCircuitError);
  passTime(halfOpenAfter / 2);
  expect(await seen.send(server.url)).toMatchObject({ status: 503 });
  expect(server.hits).toHaveLength(3);
  expect(seen.policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});

test("an aborted probe neither opens nor closes it: the next attempt is the probe", async () => {
  const server = await serve(status(503), hang(), hang(), status(200));
  const seen = fixture();
  await dueForProbe(seen, server.url);
  for (const hits of [2, 3]) {
    const caller = new AbortController();
    const probe = seen.send(server.url, { signal: caller.signal });
    await server.received(hits);
    expect((await seen.send(server.url)).refusal).toBe("breaker");
    caller.abort();
    expect((await probe).refusal).toBe("aborted");
    expect(seen.circuitOf(server.url).state).toBe(CircuitState.HalfOpen);
  }
  expect(await seen.send(server.url)).toMatchObject({ status: 200 });
  await isClosed(seen, server.url);
  expect(server.hits).toHaveLength(4);
});

test("a retry may be the probe, where the circuit opened and its time came during the wait", async () => {
  const server = await serve(status(503), status(200));
  const clock = createManualClock();
  const seen = fixture(undefined, { clock, backoff: () => 100 });
  const sent = seen.send(server.url);
  await until(() => clock.pending === 1);
  await until(() => seen.circuitOf(server.url).state === CircuitState.Open);
  passTime();
  clock.advance(100);
  expect(await sent).toEqual({ status: 200, refusal: undefined });
  await isClosed(seen, server.url);
});

function bound(policy = circuit()) {
  const breaker = cockatielBreakers(() => policy).of("http://a.example");
  if (breaker === undefined) throw new Error("no breaker");
  return { policy, breaker };
}

const failing = (): never => {
  throw new Error("down");
};

/** A half-open circuit, opened by so many failures, whose only probe was abandoned. */
async function withAbandonedProbe(failures = 1) {
  const made = bound(circuit(new ConsecutiveBreaker(failures)));
  for (let sent = 0; sent < failures; sent++) await errorOf(made.policy.execute(failing));
  passTime();
  made.breaker.pass().abandon();
  expect(made.policy.state).toBe(CircuitState.HalfOpen);
  return made;
}

test("two policies that have the same circuit share its abandoned probe", async () => {
  const { policy, breaker } = await withAbandonedProbe();
  const other = cockatielBreakers(() => policy).of("http://b.example");
  expect(other).toBe(breaker);
  other?.pass().succeed();
  await until(() => policy.state === CircuitState.Closed);
});

test("who waits in cockatiel's own execute() goes when the probe has ended that another attempt took", async () => {
  const { policy, breaker } = await withAbandonedProbe();
  const waiting = policy.execute(() => "mine");
  breaker.pass().succeed();
  expect(await waiting).toBe("mine");
});

test("isolate() ends the time of an abandoned probe: whoever waits for it goes, and no later attempt is it", async () => {
  const { policy, breaker } = await withAbandonedProbe();
  const waiting = policy.execute(() => "mine");
  policy.isolate().dispose();
  expect(await waiting).toBe("mine");
  breaker.pass().abandon();
  expect(policy.state).toBe(CircuitState.Closed);
});

test("a probe that is abandoned after isolate() has closed the circuit is nobody's to make", async () => {
  const { policy, breaker } = await withAbandonedProbe(2);
  const probe = breaker.pass();
  policy.isolate().dispose();
  probe.abandon();
  const [first, second] = [breaker.pass(), breaker.pass()];
  second.succeed();
  await turn();
  // As a probe's, this failure alone would open it.
  first.fail({ status: 503 });
  await turn();
  expect(policy.state).toBe(CircuitState.Closed);
});

test("attempts that are refused do not queue up in cockatiel, nor are they let in later", async () => {
  const { policy, breaker } = bound();
  await errorOf(policy.execute(failing));
  passTime();
  const execute = vi.spyOn(policy, "execute");
  const successes: unknown[] = [];
  policy.onSuccess((success) => successes.push(success));
  const probe = breaker.pass();
  for (let other = 0; other < 20; other++) expect(() => breaker.pass()).toThrow(BrokenCircuitError);
  expect(execute).toHaveBeenCalledTimes(2);
  probe.succeed();
  await turn();
  expect(policy.state).toBe(CircuitState.Closed);
  // What is left inside would end with this.
  policy.isolate().dispose();
  await turn();
  expect(successes).toHaveLength(1);
});

test("a circuit that is half-open at once (halfOpenAfter: 0) lets one probe go at a time as well", async () => {
  const { policy, breaker } = bound(
    circuitBreaker(handleAll, { halfOpenAfter: 0, breaker: new ConsecutiveBreaker(1) }),
  );
  await errorOf(policy.execute(failing));
  const opened = new Promise((resolve) => policy.onBreak(resolve));
  const probe = breaker.pass();
  expect(() => breaker.pass()).toThrow(BrokenCircuitError);
  probe.fail({ status: 503 });
  await opened;
  const next = breaker.pass();
  expect(() => breaker.pass()).toThrow(BrokenCircuitError);
  next.succeed();
  await until(() => policy.state === CircuitState.Closed);
});

test.runIf(cockatielMajor >= 4)(
  "a half-open circuit that samples lets as many probes go as it wants",
  async () => {
    const options = { halfOpenAfter, breaker: new ConsecutiveBreaker(1) };
    const sampling = { ...options, halfOpenSampling: { calls: 3, threshold: 0.5 } };
    const { policy, breaker } = bound(circuitBreaker(handleAll, sampling));
    await errorOf(policy.execute(failing));
    passTime();
    const probes = [breaker.pass(), breaker.pass(), breaker.pass()];
    expect(() => breaker.pass()).toThrow(BrokenCircuitError);
    const [first, second, third] = probes;
    first?.succeed();
    second?.abandon();
    third?.fail({ status: 503 });
    await turn();
    expect(policy.state).toBe(CircuitState.HalfOpen);
    breaker.pass().succeed();
    await turn();
    expect(policy.state).toBe(CircuitState.Closed);
  },
);
