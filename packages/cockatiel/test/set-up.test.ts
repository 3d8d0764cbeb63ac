import { cockatielBreakers } from "@retry-budget/cockatiel";
import { serve, status, warningsDuring } from "@retry-budget/testkit";
import { handleAll, noop, retry, wrap } from "cockatiel";
import { expect, test } from "vitest";
import { circuit, fixture } from "./fixture.js";

test.each([
  [undefined, "Expected `create` to be a function, got undefined."],
  [circuit(), "Expected `create` to be a function, got an instance of CircuitBreakerPolicy."],
])("cockatielBreakers(%o) names the parameter and the value", (create, message) => {
  expect(() => cockatielBreakers(create as never)).toThrow(new TypeError(message));
});

test.each<[string, () => unknown]>([
  ["throws", () => expect.fail("no breaker today")],
  ["rejects", () => Promise.reject(new Error("later"))],
  ["gives a policy that is no circuit breaker", () => noop],
  ["gives a circuit breaker in a wrapping", () => wrap(retry(handleAll, {}), circuit())],
  ["gives null", () => null],
])("where `create` %s, there is a warning, and the request goes on without", async (_, create) => {
  const server = await serve(status(503), status(200));
  const codes = await warningsDuring(async () => {
    const { send } = fixture(create as never);
    expect(await send(server.url)).toEqual({ status: 200, refusal: undefined });
  });
  expect(new Set(codes)).toEqual(new Set(["RETRY_BUDGET_BREAKERS"]));
});

test("`create` may leave an origin without one", async () => {
  const server = await serve(status(503), status(200));
  const codes = await warningsDuring(async () => {
    const { send } = fixture(() => undefined);
    expect(await send(server.url)).toEqual({ status: 200, refusal: undefined });
  });
  expect(codes).toEqual([]);
});

test("`create` is asked once for an origin, and again for one whose budget was taken over", () => {
  const asked: string[] = [];
  const kept = circuit();
  const { policy } = fixture(
    (origin) => {
      asked.push(origin);
      return kept;
    },
    { maxOrigins: 1 },
  );
  for (const url of [
    "http://a.example/1",
    "http://a.example/2",
    "http://b.example",
    "http://a.example",
  ]) {
    policy.call({ client: "test", method: "GET", url, isReplayable: () => true });
  }
  expect(asked).toEqual(["http://a.example", "http://b.example", "http://a.example"]);
});
