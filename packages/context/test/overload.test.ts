import { createIncoming, type Incoming, type IncomingOptions } from "@retry-budget/context";
import { createManualClock } from "@retry-budget/core/testing";
import { describe, expect, test } from "vitest";
import { backend } from "./fixture.js";

const attempt = (number: number) => ({ "retry-budget-attempt": String(number) });

/** What has come by now, by the number of the attempt. */
const come = (incoming: Incoming, ...attempts: number[]): void => {
  for (const number of attempts) incoming.open(attempt(number));
};

const fixture = (options: IncomingOptions = {}) => {
  const clock = createManualClock();
  return { clock, incoming: createIncoming({ clock, window: 1000, ...options }) };
};

const times = (count: number, number: number): number[] => new Array(count).fill(number);

describe("attempts", () => {
  test("are counted by their number, above 9 together", () => {
    const { incoming } = fixture();
    come(incoming, 1, 1, 1, 2, 9, 10, 11, 999_999_999);
    incoming.open({});
    expect(incoming.attempts.snapshot()).toEqual({
      counts: { 1: 4, 2: 1, 9: 1, "10+": 3 },
      total: 9,
      retryShare: 5 / 9,
    });
  });

  test("are none at first", () => {
    const { incoming } = fixture();
    expect(incoming.attempts.snapshot()).toEqual({ counts: {}, total: 0, retryShare: 0 });
  });

  test("are forgotten by half windows: after half of one at the earliest, after all of it at the latest", () => {
    const { clock, incoming } = fixture();
    const total = () => incoming.attempts.snapshot().total;
    come(incoming, 1);
    clock.advance(499);
    come(incoming, 2);
    clock.advance(1);
    come(incoming, 3);
    expect(total()).toBe(3);
    clock.advance(499);
    expect(total()).toBe(3);
    clock.advance(1);
    expect(incoming.attempts.snapshot()).toMatchObject({ counts: { 3: 1 }, total: 1 });
    clock.advance(500);
    expect(total()).toBe(0);
    come(incoming, 1);
    clock.advance(1_000_000);
    expect(total()).toBe(0);
  });

  test("need no timer", () => {
    const { clock, incoming } = fixture();
    come(incoming, 1, 2);
    expect(clock.pending).toBe(0);
  });
});

describe("overload", () => {
  const plain = {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "Overloaded.\n",
  };

  test("may be retried while retries are few: a budget of a tenth makes at most 1 in 11", () => {
    const { incoming } = fixture();
    come(incoming, ...times(100, 1), ...times(10, 2));
    expect(incoming.overload()).toEqual(plain);
    come(incoming, ...times(15, 2));
    expect(incoming.attempts.snapshot().retryShare).toBe(0.2);
    expect(incoming.overload()).toEqual(plain);
  });

  test("is not to be retried where more than a fifth are retries", () => {
    const { incoming } = fixture();
    come(incoming, ...times(100, 1), ...times(26, 2));
    expect(incoming.overload()).toEqual({
      ...plain,
      headers: { ...plain.headers, "x-should-retry": "false" },
      body: "Overloaded; do not retry.\n",
    });
  });

  test("is judged by ten requests at least", () => {
    const { incoming } = fixture();
    come(incoming, ...times(9, 3));
    expect(incoming.overload()).toEqual(plain);
    come(incoming, 3);
    expect(incoming.overload()).not.toEqual(plain);
  });

  test("may be retried again when the retries are over", () => {
    const { clock, incoming } = fixture();
    come(incoming, ...times(20, 2));
    clock.advance(1000);
    expect(incoming.overload()).toEqual(plain);
  });

  test("counts what is many as its server says", () => {
    const { incoming } = fixture({ mostRetries: 0.5 });
    come(incoming, ...times(10, 1), ...times(10, 2));
    expect(incoming.overload()).toEqual(plain);
    come(incoming, 2);
    expect(incoming.overload()).not.toEqual(plain);
  });

  test("tells clients of gRPC in their own way, where those are expected", () => {
    const { incoming } = fixture({ presets: ["grpc"] });
    come(incoming, ...times(10, 2));
    expect(incoming.overload().headers).toMatchObject({
      "x-should-retry": "false",
      "grpc-retry-pushback-ms": "-1",
    });
  });

  test("is obeyed by our clients: refusal server, and nothing sent again", async () => {
    const { incoming } = fixture();
    const asked = async () => {
      const { server, get } = await backend({}, (response) => {
        const { status, headers, body } = incoming.overload();
        response.writeHead(status, headers).end(body);
      });
      return { ...(await get()), hits: server.hits.length };
    };
    expect(await asked()).toEqual({ answer: 503, refusal: "attempts", hits: 3 });
    come(incoming, ...times(10, 2));
    expect(await asked()).toEqual({ answer: 503, refusal: "server", hits: 1 });
  });
});
