import { setImmediate } from "node:timers/promises";
import { type Reply, serve, status } from "@retry-budget/testkit";
import { Client, type Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { undiciMajor } from "./undici-major.js";

const long = 3 * 2 ** 20;
const longAnswer = status(200, {}, "x".repeat(long));

/** A handler of a user's own, which pauses at the headers and keeps the first way to resume. */
class PausingHandler {
  readonly ended: Promise<void>;
  readonly paused: Promise<void>;
  resume: (() => void) | undefined;
  received = 0;
  readonly #pauses: boolean;
  #tellPaused = (): void => undefined;
  #tellEnded = (): void => undefined;
  #tellError = (_: Error): void => undefined;

  constructor(pauses: boolean) {
    this.#pauses = pauses;
    this.paused = new Promise((resolve) => {
      this.#tellPaused = resolve;
    });
    this.ended = new Promise((resolve, reject) => {
      this.#tellEnded = resolve;
      this.#tellError = reject;
    });
  }

  onConnect(): void {}

  onHeaders(statusCode: number, _: unknown, resume: () => void): boolean {
    this.resume ??= resume;
    if (statusCode < 200) return true;
    this.#tellPaused();
    return !this.#pauses;
  }

  onData(chunk: Buffer): boolean {
    this.received += chunk.length;
    return true;
  }

  onComplete(): void {
    this.#tellEnded();
  }

  onError(error: Error): void {
    this.#tellError(error);
  }
}

function send(dispatcher: Dispatcher, pauses: boolean): PausingHandler {
  const handler = new PausingHandler(pauses);
  const options = { path: "/", method: "GET" } as Dispatcher.DispatchOptions;
  dispatcher.dispatch(options, handler as unknown as Dispatcher.DispatchHandler);
  return handler;
}

// 8 takes no such handler.
describe.skipIf(undiciMajor > 7)("a handler of the legacy API (undici 6 and 7)", () => {
  test("cannot resume the next response on its connection when it is over", async () => {
    const server = await serve(status(200), status(200), longAnswer);
    const { dispatcher } = budgeted(new Client(server.url));
    // Twice: undici 7's core is driven in another way from the second request on.
    for (const _ of [1, 2]) await send(dispatcher, false).ended;
    const over = send(dispatcher, true);
    await over.paused;
    over.resume?.();
    await over.ended;
    const next = send(dispatcher, true);
    await next.paused;
    over.resume?.();
    for (const _ of Array(20)) await setImmediate();
    expect(next.received).toBe(0);
    next.resume?.();
    await next.ended;
    expect(next.received).toBe(long);
  });

  test("resumes the answer to the retry by what it got with the 103 before the 503", async () => {
    const hintsThen =
      (last: Reply): Reply =>
      (response, request) => {
        response.writeEarlyHints({ link: "</style.css>; rel=preload" });
        last(response, request);
      };
    const failing = hintsThen(status(503, { connection: "close" }));
    const server = await serve(status(200), failing, hintsThen(longAnswer));
    const { dispatcher, policy } = budgeted(new Client(server.url));
    await send(dispatcher, false).ended;
    const handler = send(dispatcher, true);
    await handler.paused;
    handler.resume?.();
    await handler.ended;
    expect(handler.received).toBe(long);
    expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 1 }]);
  });
});
