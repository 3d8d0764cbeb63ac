import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Breakers } from "@retry-budget/core";
import { hang, serve, status } from "@retry-budget/testkit";
import CircuitBreaker from "opossum";
import { expect, onTestFinished, test } from "vitest";
import { fixture } from "./fixture.js";
import { opossumBreaker } from "./opossum-breaker.js";

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8");

test("the README shows this very binding", async () => {
  const [, block] = /## opossum[\s\S]*?```ts\n([\s\S]*?)```/.exec(await read("../README.md")) ?? [];
  expect(block).toBe(await read("opossum-breaker.ts"));
});

/** fetch under a policy whose one breaker is opossum's: one failure opens it. */
function underOpossum(options: CircuitBreaker.Options<[Promise<void>]> = {}) {
  const circuit = new CircuitBreaker((end: Promise<void>) => end, {
    ...{ errorThresholdPercentage: 1, timeout: false },
    ...options,
  });
  onTestFinished(() => circuit.shutdown());
  const breaker = opossumBreaker(circuit);
  const breakers: Breakers = { of: () => breaker };
  return { circuit, ...fixture(undefined, { breakers, maxAttempts: 1 }) };
}

test("an open circuit fails at once with opossum's own error, nothing is sent, no token is spent", async () => {
  const server = await serve(status(503));
  const { circuit, send, policy } = underOpossum();
  const opened = once(circuit, "open");
  await send(server.url, { method: "POST" });
  await opened;
  const { error, refusal } = await send(server.url);
  expect(CircuitBreaker.isOurError(error as Error)).toBe(true);
  expect([error, refusal]).toEqual([expect.objectContaining({ code: "EOPENBREAKER" }), "breaker"]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, balance: 10 }]);
  expect(server.hits).toHaveLength(1);
});

test("half-open it lets one probe go at a time, and a success closes it", async () => {
  let answer = (): void => undefined;
  const server = await serve(status(503), (response) => {
    answer = () => void response.end();
  });
  const { circuit, send } = underOpossum({ resetTimeout: 20 });
  const due = once(circuit, "halfOpen");
  await send(server.url);
  await due;
  const probe = send(server.url);
  await server.received(2);
  expect((await send(server.url)).refusal).toBe("breaker");
  const closed = once(circuit, "close");
  answer();
  expect(await probe).toEqual({ status: 200, refusal: undefined });
  await closed;
  expect(server.hits).toHaveLength(2);
});

test("a caller's abort does not open it; the abort of a probe leaves it open for another while", async () => {
  const server = await serve(hang(), status(503), hang());
  const { circuit, send } = underOpossum({ resetTimeout: 20 });
  const abortAt = async (hits: number): Promise<void> => {
    const caller = new AbortController();
    const sent = send(server.url, { signal: caller.signal });
    await server.received(hits);
    caller.abort();
    expect((await sent).refusal).toBe("aborted");
  };
  await abortAt(1);
  expect(circuit.closed).toBe(true);
  const due = once(circuit, "halfOpen");
  await send(server.url);
  await due;
  const opened = once(circuit, "open");
  const dueAgain = once(circuit, "halfOpen");
  await abortAt(3);
  await opened;
  await dueAgain;
});
