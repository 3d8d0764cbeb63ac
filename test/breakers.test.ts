import { cockatielBreakers } from "@retry-budget/cockatiel";
import { createRetryPolicy, type RetryPolicyOptions, refusalOf } from "@retry-budget/core";
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  IsolatedCircuitError,
} from "cockatiel";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { driver as axios } from "../packages/axios/test/driver.js";
import { driver as got } from "../packages/got/test/driver.js";
import { driver as pRetry } from "../packages/p-retry/test/driver.js";
import {
  type Driver,
  type FlakyServer,
  hang,
  type Reply,
  serve,
  status,
  until,
} from "../packages/testkit/src/index.js";
import { driver as undici } from "../packages/undici/test/driver.js";

afterEach(() => {
  vi.useRealTimers();
});

const halfOpenAfter = 30_000;

/** cockatiel reads the time from Date alone: the clients' sockets and timers go on as ever. */
function passTime(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + halfOpenAfter });
}

/** A client that has a budget and, for its server, a circuit that so many failures open. */
async function fixture(driver: Driver, replies: Reply[], options: RetryPolicyOptions = {}) {
  const server = await serve(...replies);
  const circuit = circuitBreaker(handleAll, { halfOpenAfter, breaker: new ConsecutiveBreaker(3) });
  const breakers = cockatielBreakers((origin) => (origin === server.url ? circuit : undefined));
  const policy = createRetryPolicy({ backoff: () => 1, breakers, ...options });
  const client = driver.create(policy, 1);
  onTestFinished(() => client.close());
  const send = async (request = {}) => {
    const answer = await client.send(server.url, request);
    return { ...answer, refusal: refusalOf(answer.result)?.refusal };
  };
  const isIn = (state: CircuitState): Promise<void> => until(() => circuit.state === state);
  return { server, circuit, policy, client, send, isIn };
}

/** As it is, or as the cause of the client's usual error. */
function breakersError(error: unknown): unknown {
  return error instanceof BrokenCircuitError ? error : Object(error).cause;
}

const requests = ({ hits }: FlakyServer): number => hits.length;

describe.each([axios, undici, got, pRetry])("under $name", (driver) => {
  test("an open circuit lets nothing reach the server: its error, no token, no deposit, refusal `breaker`", async () => {
    const { server, send, isIn, policy } = await fixture(driver, [status(503)]);
    await send();
    await isIn(CircuitState.Open);
    const [before] = policy.snapshot();
    for (let original = 0; original < 10; original++) {
      const { result, failed, refusal } = await send({ method: original % 2 ? "GET" : "POST" });
      expect(failed).toBe(true);
      expect(breakersError(result)).toBeInstanceOf(BrokenCircuitError);
      expect(refusal).toBe("breaker");
    }
    expect(requests(server)).toBe(3);
    expect(policy.snapshot()).toMatchObject([
      { originals: 1, retries: 2, balance: before?.balance, refusals: { breaker: 10 } },
    ]);
  });

  test("POSTs open it, and it holds them back", async () => {
    const { server, send, isIn } = await fixture(driver, [status(503)], { maxAttempts: 1 });
    for (let original = 0; original < 3; original++) await send({ method: "POST" });
    await isIn(CircuitState.Open);
    expect((await send({ method: "POST" })).refusal).toBe("breaker");
    expect(requests(server)).toBe(3);
  });

  test("half-open, one probe goes at a time; the others fail at once; recovery brings the retries back", async () => {
    const down = status(503);
    let answer = (): void => undefined;
    const probed: Reply = (response) => {
      answer = () => void response.end("up");
    };
    const { server, send, isIn, policy } = await fixture(driver, [
      ...[down, down, down, probed, down, status(200)],
    ]);
    await send();
    await isIn(CircuitState.Open);
    passTime();
    const probe = send();
    await server.received(4);
    for (const other of await Promise.all([send(), send()])) expect(other.refusal).toBe("breaker");
    expect(requests(server)).toBe(4);
    answer();
    expect(await probe).toMatchObject({ status: 200, failed: false });
    await isIn(CircuitState.Closed);
    expect(await send()).toMatchObject({ status: 200, failed: false });
    expect(requests(server)).toBe(6);
    expect(policy.snapshot()).toMatchObject([{ originals: 3, retries: 3 }]);
  });

  test("a probe that fails is not retried, and opens it again", async () => {
    const { server, send, isIn } = await fixture(driver, [status(503)]);
    await send();
    await isIn(CircuitState.Open);
    passTime();
    expect(await send()).toMatchObject({ status: 503, refusal: "breaker" });
    await isIn(CircuitState.Open);
    expect((await send()).refusal).toBe("breaker");
    expect(requests(server)).toBe(4);
  });

  test("one that opens while a retry is waited for gives the token back, and the failure stays the caller's", async () => {
    const balances: unknown[] = [];
    const { server, send, circuit, policy } = await fixture(driver, [status(503)], {
      onRetry: () => {
        balances.push(policy.snapshot()[0]?.balance);
        circuit.isolate();
      },
    });
    const { result, refusal, ...answer } = await send();
    // undici has let go of the response by then: its error names the status.
    expect(String(answer.status ?? result)).toContain("503");
    expect([refusal, requests(server)]).toEqual(["breaker", 1]);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
    expect(balances).toEqual([9]);
  });

  test("isolate() holds everything back with its own error, until it is disposed of", async () => {
    const { server, send, circuit } = await fixture(driver, [status(200)]);
    const handle = circuit.isolate();
    const { result, refusal } = await send();
    expect(breakersError(result)).toBeInstanceOf(IsolatedCircuitError);
    expect([refusal, requests(server)]).toEqual(["breaker", 0]);
    handle.dispose();
    expect(await send()).toMatchObject({ status: 200, refusal: undefined });
  });

  test("aborts do not open it, nor does the abort of a probe close it or keep others out", async () => {
    const down = status(503);
    const replies = [hang(), hang(), hang(), down, down, down, hang(), status(200)];
    const { server, send, circuit, isIn } = await fixture(driver, replies);
    const abortAt = async (hits: number): Promise<void> => {
      const caller = new AbortController();
      const sent = send({ signal: caller.signal });
      await server.received(hits);
      caller.abort();
      expect(await sent).toMatchObject({ failed: true });
    };
    for (const hits of [1, 2, 3]) await abortAt(hits);
    expect(circuit.state).toBe(CircuitState.Closed);
    await send();
    await isIn(CircuitState.Open);
    passTime();
    await abortAt(7);
    expect(circuit.state).toBe(CircuitState.HalfOpen);
    expect(await send()).toMatchObject({ status: 200 });
    await isIn(CircuitState.Closed);
  });

  test("another origin goes on as ever", async () => {
    const { client, send, isIn } = await fixture(driver, [status(503)]);
    const other = await serve(status(503), status(200));
    await send();
    await isIn(CircuitState.Open);
    expect(await client.send(other.url)).toMatchObject({ status: 200 });
    expect(other.hits).toHaveLength(2);
  });
});
