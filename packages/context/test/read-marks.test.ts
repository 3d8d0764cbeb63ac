import { outgoing, type Preset, type ReadMarksOptions, readMarks } from "@retry-budget/context";
import type { Mark } from "@retry-budget/core";
import { expect, test } from "vitest";

const presets: readonly Preset[] = ["envoy", "grpc", "aws"];

test.each([
  ["x-envoy-attempt-count", "3", 3],
  ["x-envoy-attempt-count", "1", 1],
  ["grpc-previous-rpc-attempts", "2", 3],
  ["grpc-previous-rpc-attempts", "0", 1],
  ["amz-sdk-request", "attempt=2; max=3", 2],
  ["amz-sdk-request", "attempt=1", 1],
  ["amz-sdk-request", "ttl=20301231T235959Z; attempt=4; max=5", 4],
  ["retry-budget-attempt", "2", 2],
])("STD-49: %s: %s is attempt %i", (name, value, attempt) => {
  expect(readMarks({ [name]: value }, { presets })).toMatchObject({ attempt });
  expect(readMarks(new Headers({ [name]: value }), { presets })).toMatchObject({ attempt });
});

test.each([[[]], [["envoy"]], [["grpc"]], [["aws"]], [presets]] as [Preset[]][])(
  "STD-49: without headers nothing is known, with presets %j",
  (chosen) => {
    expect(readMarks({ host: "a" }, { presets: chosen })).toEqual({ isRetried: false });
    expect(readMarks(new Headers(), { presets: chosen })).toEqual({ isRetried: false });
  },
);

test.each([
  ["retry-budget-deadline", "250", 250],
  ["retry-budget-deadline", "0", 0],
  ["x-envoy-expected-rq-timeout-ms", "15000", 15_000],
  ["grpc-timeout", "1H", 3_600_000],
  ["grpc-timeout", "2M", 120_000],
  ["grpc-timeout", "3S", 3000],
  ["grpc-timeout", "00000250m", 250],
  ["grpc-timeout", "250u", 0.25],
  ["grpc-timeout", "500000n", 0.5],
])("%s: %s leaves %d ms", (name, value, remaining) => {
  expect(readMarks({ [name]: value }, { presets })).toEqual({ isRetried: false, remaining });
});

test.each([
  ["retry-budget-retried", "1", true],
  ["retry-budget-retried", "true", false],
  ["x-envoy-max-retries", "0", true],
  ["x-envoy-max-retries", "1", false],
  ["amz-sdk-request", "attempt=1; max=3", true],
  ["amz-sdk-request", "attempt=1; max=1", false],
  ["x-envoy-attempt-count", "2", true],
])("%s: %s says that the caller retries: %s", (name, value, isRetried) => {
  expect(readMarks({ [name]: value }, { presets })).toMatchObject({ isRetried });
});

const malformed = [
  "",
  " 1",
  "-1",
  "+1",
  "1.5",
  "NaN",
  "Infinity",
  "1e9",
  "0x10",
  "1, 2",
  "1,1",
  "٣",
  "１",
  "1\u0000",
  "9".repeat(10),
  "9".repeat(400),
  "attempt=2; max=3, attempt=1; max=3",
  "attempt=-2; max=3",
  "attempt=2;max=3; attempt=9",
  "attempt=0; max=3",
  "-1m",
  "123456789m",
  "1.5S",
  "1s",
  "m",
  "true",
];
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
];

test.each(names)("what is malformed in %s counts as not said", (name) => {
  for (const value of malformed) {
    expect({ value, ...readMarks({ [name]: value }, { presets }) }).toEqual({
      value,
      isRetried: false,
    });
  }
});

test.each(["retry-budget-attempt", "x-envoy-attempt-count"])("%s has no attempt 0", (name) => {
  expect(readMarks({ [name]: "0" }, { presets })).toEqual({ isRetried: false });
});

test("several lines of one header count as none", () => {
  const headers = new Headers();
  for (const value of ["100", "900000"]) headers.append("retry-budget-deadline", value);
  expect(readMarks(headers)).toEqual({ isRetried: false });
  expect(readMarks({ "retry-budget-deadline": ["100"] })).toEqual({ isRetried: false });
});

test("where several headers speak, the later attempt and the earlier deadline count", () => {
  const headers = {
    "retry-budget-attempt": "2",
    "x-envoy-attempt-count": "4",
    "retry-budget-deadline": "300",
    "grpc-timeout": "200m",
    "x-envoy-expected-rq-timeout-ms": "250",
  };
  expect(readMarks(headers, { presets })).toEqual({ attempt: 4, isRetried: true, remaining: 200 });
});

test("presets are read only where they were chosen, and names take the place of our own", () => {
  const headers = {
    "x-envoy-attempt-count": "2",
    "retry-budget-retried": "1",
    "retry-budget-deadline": "9",
    "x-left": "5",
  };
  expect(readMarks(headers, { names: { retried: false, deadline: "X-Left" } })).toEqual({
    isRetried: false,
    remaining: 5,
  });
});

test.each([undefined, ...presets])(
  "what outgoing() writes is read again, with preset %s",
  (preset) => {
    const told = outgoing({ origins: ["http://a"], preset });
    const mark: Mark = {
      origin: "http://a",
      attempt: 3,
      maxAttempts: 4,
      isRetried: true,
      remaining: 250.7,
    };
    const options: ReadMarksOptions = { presets: preset === undefined ? [] : [preset] };
    expect(readMarks(told(mark) ?? {}, options)).toEqual({
      attempt: 3,
      isRetried: true,
      remaining: 250,
    });
  },
);

test.each([
  [{ presets: "envoy" }, /`presets` .* got "envoy"/],
  [{ presets: ["istio"] }, /`presets` .* got \["istio"\]/],
  [{ preset: "envoy" }, /Unknown option `preset`/],
  [{ names: { deadline: "cookie" } }, /`names.deadline` .* got "cookie"/],
  [{ presets: ["grpc"], names: { deadline: "grpc-timeout" } }, /grpc-timeout twice/],
])("%j is an error that names the field and the value", (options, message) => {
  const make = () => readMarks({}, options as ReadMarksOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});
