import { expect, test } from "vitest";
import { readServerSignals } from "../src/server-signals.js";

const read = (
  headers: Record<string, string>,
  status = 503,
): ReturnType<typeof readServerSignals> =>
  readServerSignals({ status, header: (name) => headers[name] }, () => 0);

test.each([
  [{ "x-should-retry": "false" }],
  [{ "stripe-should-retry": "false", "x-should-retry": "true" }],
  [{ "x-envoy-ratelimited": "" }],
  [{ "grpc-retry-pushback-ms": "-1" }],
  [{ "grpc-retry-pushback-ms": "soon", "x-should-retry": "true" }],
  [{ ratelimit: '"d";r=0' }],
])("%o says no", (headers) => {
  expect(read(headers).answer).toBe("no");
});

test("an explicit yes comes with the wait", () => {
  const signals = read({ "x-should-retry": "true", "retry-after": "2" });
  expect(signals).toEqual({ answer: "yes", wait: 2000, exact: false });
});

test.each([
  [{ "grpc-retry-pushback-ms": "20", "retry-after": "60" }, 20],
  [{ "retry-after-ms": "50", "retry-after": "60" }, 50],
  [{ "retry-after-ms": "nonsense", "retry-after": "60" }, 60_000],
  [{ "retry-after": "2", ratelimit: '"d";r=0;t=1' }, 2000],
  [{ "retry-after": "2", ratelimit: '"d";r=0' }, 2000],
  [{ ratelimit: '"d";r=0;t=1' }, 1000],
  [{ ratelimit: '"d";r=9;t=1' }, undefined],
])("%o asks for a wait of %o ms", (headers, wait) => {
  expect(read(headers as never)).toMatchObject({ answer: undefined, wait });
});

test("only gRPC's push-back is exact", () => {
  expect(read({ "grpc-retry-pushback-ms": "20" }).exact).toBe(true);
  expect(read({ "retry-after-ms": "20" }).exact).toBe(false);
});

test("a quota counts on 429 and 503 only", () => {
  expect(read({ ratelimit: '"d";r=0' }, 500).answer).toBeUndefined();
  expect(read({ ratelimit: '"d";r=0' }, 429).answer).toBe("no");
});
