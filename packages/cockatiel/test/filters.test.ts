import { cockatielBreakers, FailedResponseError } from "@retry-budget/cockatiel";
import { serve, status, until } from "@retry-budget/testkit";
import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
  handleWhen,
  type Policy,
} from "cockatiel";
import { expect, test } from "vitest";
import { fixture, halfOpenAfter } from "./fixture.js";

const circuitFor = (filter: Policy) =>
  circuitBreaker(filter, { halfOpenAfter, breaker: new ConsecutiveBreaker(1) });

test("a filter sees a failing status as an error that has the status and the outcome", async () => {
  const server = await serve(status(503));
  const seen: unknown[] = [];
  const filter = handleWhen((error) => seen.push(error) > 0);
  const { send, circuitOf } = fixture(() => circuitFor(filter), { maxAttempts: 1 });
  await send(server.url);
  await until(() => circuitOf(server.url).state === CircuitState.Open);
  expect(seen).toEqual([expect.any(FailedResponseError)]);
  expect(seen[0]).toMatchObject({
    name: "FailedResponseError",
    message: "The server has answered 503",
    status: 503,
    outcome: { status: 503, response: expect.any(Response) },
  });
});

test("it sees the client's own errors as they are", () => {
  const error = new TypeError("fetch failed");
  const seen: unknown[] = [];
  const policy = circuitFor(handleWhen((reason) => seen.push(reason) > 0));
  cockatielBreakers(() => policy)
    .of("http://a.example")
    ?.pass()
    .fail({ error, status: 503 });
  return until(() => seen[0] === error);
});

test.each<[string, Policy, number]>([
  ["by type", handleType(TypeError), 503],
  ["by status", handleWhen((error) => (error as FailedResponseError).status !== 429), 429],
])("what a filter leaves out does not open the circuit: %s", async (_, filter, code) => {
  const server = await serve(status(code));
  const { send, circuitOf } = fixture(() => circuitFor(filter), { maxAttempts: 3 });
  await send(server.url);
  expect(server.hits).toHaveLength(3);
  expect(circuitOf(server.url).state).toBe(CircuitState.Closed);
});
