import { createIncoming, type Incoming } from "@retry-budget/context";
import { outerCall } from "@retry-budget/core";
import { hang, until } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { ask, backend, known, oneSocket, retried } from "./fixture.js";

/** What a route does; its answer is sent as JSON. */
export type Work = (body: unknown) => Promise<unknown>;

/**
 * Serves with the framework, and our face in it unless there is none: `/` answers GET and POST with
 * what the work gives, whose argument is the body that the framework's usual parser has read.
 */
export type Start = (incoming: Incoming | undefined, work: Work) => Promise<number>;

/** What every framework's face must do. */
export function faceCases(start: Start): void {
  const serveWith = (work: Work) => start(createIncoming(), work);
  const tellKnown = async () => known();

  test("a handler is inside what its request says, and nowhere without marks", async () => {
    const port = await serveWith(tellKnown);
    const inside = { inside: true, attempt: 2, isRetried: true };
    expect((await ask(port, { headers: retried })).answer).toEqual(inside);
    expect((await ask(port)).answer).toEqual({ inside: false });
  });

  test("a handler whose body has been parsed is inside as well", async () => {
    const port = await serveWith(async (body) => ({ body, ...known() }));
    const body = { a: "x".repeat(100_000) };
    expect((await ask(port, { headers: retried, body })).answer).toEqual({
      body,
      inside: true,
      attempt: 2,
      isRetried: true,
    });
    expect((await ask(port, { body })).answer).toEqual({ body, inside: false });
  });

  test("a client inside stands down where the caller retries", async () => {
    const { server, get } = await backend();
    const port = await serveWith(get);
    const refused = { answer: 503, refusal: "layer" };
    expect((await ask(port, { headers: retried })).answer).toEqual(refused);
    expect((await ask(port, { headers: retried, body: {} })).answer).toEqual(refused);
    expect(server.hits.length).toBe(2);
    expect((await ask(port)).answer).toEqual({ answer: 503, refusal: "attempts" });
    expect(server.hits.length).toBe(2 + 3);
  });

  test("a client inside has no more time than the caller", async () => {
    const { get } = await backend({ deadline: 60_000 }, hang);
    const port = await serveWith(get);
    const headers = { "retry-budget-deadline": "60" };
    expect((await ask(port, { headers })).answer).toMatchObject({ refusal: "deadline" });
  });

  test("requests that are handled at the same time never see each other's marks", async () => {
    const waiting: (() => void)[] = [];
    const port = await serveWith(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return known();
    });
    const attempts = [1, 2, 3, 4, 5, 6];
    const answers = attempts.map((attempt) => {
      const body = attempt % 2 === 0 ? {} : undefined;
      const headers = attempt === 1 ? {} : { "retry-budget-attempt": String(attempt) };
      return ask(port, { headers, body });
    });
    await until(() => waiting.length === attempts.length);
    for (const go of waiting.reverse()) go();
    expect((await Promise.all(answers)).map(({ answer }) => answer)).toEqual(
      attempts.map((attempt) =>
        attempt === 1 ? { inside: false } : { inside: true, attempt, isRetried: true },
      ),
    );
  });

  test("a connection that is kept alive takes no marks to its next request", async () => {
    const port = await serveWith(tellKnown);
    const agent = oneSocket();
    for (const body of [undefined, {}]) {
      expect((await ask(port, { agent, headers: retried })).answer).toMatchObject({ attempt: 2 });
      expect((await ask(port, { agent, body })).answer).toEqual({ inside: false });
    }
    agent.destroy();
  });

  test("what goes on after the response has been sent is on its own", async () => {
    const { get } = await backend();
    let background: unknown;
    const port = await serveWith(async () => {
      const goOn = async () => {
        await until(() => outerCall() === undefined);
        background = await get();
      };
      void goOn();
      return known();
    });
    const { answer } = await ask(port, { headers: retried });
    expect(answer).toMatchObject({ inside: true });
    await until(() => background !== undefined);
    expect(background).toEqual({ answer: 503, refusal: "attempts" });
  });

  test("a handler that throws fails as without us", async () => {
    const failure = new Error("the handler's");
    // Some frameworks send it, and we are in it.
    failure.stack = failure.message;
    const fail: Work = () => Promise.reject(failure);
    const bare = await ask(await start(undefined, fail));
    expect(bare.status).toBe(500);
    expect(await ask(await serveWith(fail), { headers: retried })).toEqual(bare);
  });

  test("every request is counted once, with its attempt", async () => {
    const incoming = createIncoming();
    const port = await start(incoming, tellKnown);
    for (const headers of [{}, {}, retried]) await ask(port, { headers });
    await ask(port, { body: {} });
    expect(incoming.attempts.snapshot()).toEqual({
      counts: { 1: 3, 2: 1 },
      total: 4,
      retryShare: 0.25,
    });
  });
}
