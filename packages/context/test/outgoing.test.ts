import { type OutgoingOptions, outgoing } from "@retry-budget/context";
import type { Mark } from "@retry-budget/core";
import { expect, test } from "vitest";

const origin = "http://orders:8080";

const mark = (fields: Partial<Mark> = {}): Mark => ({
  origin,
  attempt: 1,
  maxAttempts: 3,
  isRetried: true,
  remaining: Number.POSITIVE_INFINITY,
  ...fields,
});

const marks = (options: Omit<OutgoingOptions, "origins">, fields?: Partial<Mark>) =>
  outgoing({ origins: [origin], ...options })(mark(fields));

test("an origin that was named is told under our own names, in whole numbers", () => {
  expect(marks({}, { attempt: 2, remaining: 250.9 })).toEqual({
    "retry-budget-attempt": "2",
    "retry-budget-retried": "1",
    "retry-budget-deadline": "250",
  });
});

test("an origin that was not named is told nothing", () => {
  const told = outgoing({ origins: [origin] });
  for (const other of ["https://orders:8080", "http://orders", "http://orders:8080.evil.example"]) {
    expect(told(mark({ origin: other }))).toBeUndefined();
  }
});

test("who does not retry does not say that it does, and no deadline is no header", () => {
  expect(marks({}, { isRetried: false })).toEqual({ "retry-budget-attempt": "1" });
});

test("what is left of a deadline is never below 0, and never grows", () => {
  const told = (remaining: number) => marks({}, { remaining })?.["retry-budget-deadline"];
  expect([-5, 0, 0.9, 1e12].map(told)).toEqual(["0", "0", "0", "999999999"]);
});

test("Envoy's attempts count from 1, and its sidecar is asked not to retry only by who does", () => {
  const preset = "envoy";
  expect(marks({ preset }, { attempt: 3, remaining: 99.9 })).toEqual({
    "x-envoy-attempt-count": "3",
    // Which Envoy takes away.
    "x-envoy-max-retries": "0",
    "retry-budget-retried": "1",
    "x-envoy-expected-rq-timeout-ms": "99",
  });
  expect(marks({ preset, names: { retried: "x-retried" } })).toEqual({
    "x-envoy-attempt-count": "1",
    "x-envoy-max-retries": "0",
    "x-retried": "1",
  });
  expect(marks({ preset }, { isRetried: false })).toEqual({ "x-envoy-attempt-count": "1" });
});

test("gRPC's attempts count the previous ones, and are absent on the first", () => {
  const preset = "grpc";
  expect(marks({ preset })).toEqual({ "retry-budget-retried": "1" });
  expect(marks({ preset }, { attempt: 3, remaining: 250 })).toEqual({
    "grpc-previous-rpc-attempts": "2",
    "retry-budget-retried": "1",
    "grpc-timeout": "250m",
  });
});

test.each([
  [-1, "1n"],
  [0, "1n"],
  [1e-9, "1n"],
  [0.25, "250000n"],
  [0.9999999, "999999n"],
  [1, "1m"],
  [1999.9, "1999m"],
  [99_999_999, "99999999m"],
  [100_000_999, "100000S"],
  [99_999_999_999, "99999999S"],
  [1e12, "16666666M"],
  [1e16, "99999999H"],
])("%d ms are %s in grpc-timeout", (remaining, text) => {
  expect(marks({ preset: "grpc" }, { remaining })?.["grpc-timeout"]).toBe(text);
});

test("AWS's header says the number and, by a max above 1, that the caller retries", () => {
  const preset = "aws";
  const told = (fields: Partial<Mark>) => marks({ preset }, fields)?.["amz-sdk-request"];
  expect(marks({ preset }, { attempt: 2, remaining: 40 })).toEqual({
    "amz-sdk-request": "attempt=2; max=3",
    "retry-budget-deadline": "40",
  });
  expect(told({ isRetried: false })).toBe("attempt=1; max=1");
  expect(told({ maxAttempts: 1 })).toBe("attempt=1; max=2");
  expect(told({ maxAttempts: Number.POSITIVE_INFINITY })).toBe("attempt=1; max=999999999");
});

test("a name takes the place of a preset's in plain numbers, and false leaves a mark out", () => {
  const names = { attempt: "X-Attempt", retried: false, deadline: "x-ms-left" } as const;
  expect(marks({ preset: "grpc", names }, { attempt: 2, remaining: 7.7 })).toEqual({
    "x-attempt": "2",
    "x-ms-left": "7",
  });
});

test("an origin may have a preset and names of its own", () => {
  const told = outgoing({
    origins: { [origin]: {}, "https://api.example.com": { preset: "grpc", names: {} } },
    preset: "envoy",
    names: { retried: false },
  });
  const fields = { attempt: 2 };
  expect(told(mark(fields))).toEqual({ "x-envoy-attempt-count": "2" });
  expect(told(mark({ ...fields, origin: "https://api.example.com" }))).toEqual({
    "grpc-previous-rpc-attempts": "1",
    "retry-budget-retried": "1",
  });
});

test.each([
  [{}, /`origins` .* got undefined/],
  [{ origins: "http://a" }, /`origins` .* got "http:\/\/a"/],
  [{ origins: new Set([origin]) }, /`origins` .* got an instance of Set/],
  [{ origins: new Map([[origin, {}]]) }, /`origins` .* got an instance of Map/],
  [{ origins: new URL(origin) }, /`origins` .* got an instance of URL/],
  [{ origins: ["*"] }, /`origins\[0\]` .* got "\*"/],
  [{ origins: ["http://a/path"] }, /`origins\[0\]` .* got "http:\/\/a\/path"/],
  [{ origins: ["http://user:pw@a"] }, /`origins\[0\]`/],
  [
    { origins: ["http://a", "http://a:80/"] },
    /`origins\[1\]` .* named twice, got "http:\/\/a:80\/"/,
  ],
  [{ origins: { "http://a": { preset: "x" } } }, /`origins\["http:\/\/a"\].preset` .* got "x"/],
  [{ origins: [origin], preset: "linkerd" }, /`preset` .* got "linkerd"/],
  [{ origins: [origin], header: "x" }, /Unknown option `header`/],
  [{ origins: [origin], names: { attempts: "x" } }, /Unknown option `attempts`/],
  [{ origins: [origin], names: { attempt: "a b" } }, /`names.attempt` .* got "a b"/],
  [{ origins: [origin], names: { attempt: true } }, /`names.attempt` .* got true/],
  [
    { origins: [origin], names: { attempt: "a", deadline: "A" } },
    /different names .* got "?a twice/,
  ],
  [
    { origins: [origin], preset: "envoy", names: { attempt: "x-envoy-max-retries" } },
    /x-envoy-max-retries twice/,
  ],
])("%j is an error that names the field and the value", (options, message) => {
  const make = () => outgoing(options as OutgoingOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

test.each([
  "host",
  "Content-Length",
  "transfer-encoding",
  "connection",
  "Authorization",
  "cookie",
  "te",
  "expect",
  "proxy-authorization",
  "idempotency-key",
  "if-match",
  "accept-encoding",
  ":path",
  "",
])("a mark cannot be named %s", (deadline) => {
  const make = () => outgoing({ origins: [origin], names: { deadline } });
  expect(make).toThrow(/`names.deadline`/);
});
