import { serve, status } from "@retry-budget/testkit";
import type { Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import { BodyRecord } from "../src/body-record.js";
import { retryBudget } from "../src/retry-budget.js";
import { budgetedAgent } from "./budgeted-agent.js";

/** A source of so many pieces that tells whether it was closed before its end. */
function source(pieces: string): { body: AsyncIterable<string>; closed: () => boolean } {
  let closed = false;
  async function* generate(): AsyncGenerator<string> {
    let isReadOut = false;
    try {
      for (const piece of pieces) yield piece;
      isReadOut = true;
    } finally {
      closed = !isReadOut;
    }
  }
  return { body: generate(), closed: () => closed };
}

async function take(iterator: AsyncIterator<unknown>, count: number): Promise<string> {
  let taken = "";
  for (let index = 0; index < count; index++) {
    const { done, value } = await iterator.next();
    if (done !== true) taken += String(value);
  }
  return taken;
}

/** What a piece of one byte counts for. */
const leastSize = 128;
const enough = 10_000;

const iterate = (record: BodyRecord): AsyncIterator<unknown> =>
  record.read()[Symbol.asyncIterator]();

describe("a body that is read for the second time", () => {
  test("comes whole when the response is there before its end", async () => {
    const record = new BodyRecord(source("abcdef").body, enough);
    await take(iterate(record), 4);
    const second = iterate(record);
    expect(await take(second, 1)).toBe("a");
    record.forget();
    expect(await take(second, 9)).toBe("bcdef");
  });

  test("comes whole when a piece that was on its way exceeds the limit", async () => {
    const { body } = source("abcdef");
    const record = new BodyRecord(body, 3 * leastSize);
    const first = iterate(record);
    await take(first, 3);
    const late = first.next();
    const second = iterate(record);
    expect(await take(second, 1)).toBe("a");
    await late;
    expect(record.isKept).toBe(false);
    expect(await take(second, 9)).toBe("bcdef");
  });

  test("is what an earlier reader goes on with: it neither ends too early nor reads ahead", async () => {
    const record = new BodyRecord(source("abc").body, enough);
    const first = iterate(record);
    await take(first, 1);
    record.supersede();
    const late = first.next();
    const second = iterate(record);
    expect(await take(second, 9)).toBe("abc");
    expect(await late).toEqual({ done: false, value: "b" });
    expect(await take(first, 9)).toBe("c");
  });

  test("is read on by an earlier reader once the request is over without it", async () => {
    const record = new BodyRecord(source("abc").body, enough);
    const first = iterate(record);
    await take(first, 1);
    record.supersede();
    const late = first.next();
    record.release();
    expect(await late).toEqual({ done: false, value: "b" });
    expect(await take(first, 9)).toBe("c");
  });
});

test.each<[string, Iterable<unknown>]>([
  ["one buffer that is used again and again", reusing((buffer) => buffer)],
  [
    "views of it that are no Uint8Array",
    reusing(({ buffer, byteOffset }) => new DataView(buffer, byteOffset, 1)),
  ],
])("a copy is kept of %s", async (_, body) => {
  const record = new BodyRecord(body, enough);
  await take(iterate(record), 9);
  expect(await take(iterate(record), 9)).toBe("abc");
});

function* reusing(view: (buffer: Buffer) => unknown): Generator<unknown> {
  const buffer = Buffer.alloc(1);
  for (const letter of "abc") {
    buffer.write(letter);
    yield view(buffer);
  }
}

test("many small pieces count for what they take", async () => {
  const record = new BodyRecord(source("x".repeat(100)).body, 99 * leastSize);
  await take(iterate(record), 100);
  expect(record.isKept).toBe(false);
});

describe("the source of a body", () => {
  test("is closed with the request when the last attempt never came to read it", async () => {
    const { body, closed } = source("abc");
    const record = new BodyRecord(body, enough);
    const first = iterate(record);
    await take(first, 1);
    await first.return?.();
    record.read();
    record.release();
    await Promise.resolve();
    expect(closed()).toBe(true);
  });

  test("stays open for an upload that goes on after the request's end, whatever an earlier reader does", async () => {
    const { body, closed } = source("abc");
    const record = new BodyRecord(body, enough);
    const first = iterate(record);
    await take(first, 1);
    const second = iterate(record);
    await take(second, 1);
    record.release();
    await first.return?.();
    expect(closed()).toBe(false);
    expect(await take(second, 9)).toBe("bc");
  });
});

test("a dispatcher that reports an error and then throws at the retry: the handler is told one end", async () => {
  const server = await serve(status(503));
  const { agent, policy } = budgetedAgent();
  let dispatched = 0;
  const both: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    dispatched++;
    if (dispatched === 1) return dispatch(options, handler);
    const { onError } = handler as { onError?: (error: Error) => void };
    onError?.call(handler, new Error("told"));
    throw new Error("thrown");
  };
  const ends: string[] = [];
  const ended = new Promise<void>((resolve) => {
    const end = (error: Error): void => {
      ends.push(error.message);
      setTimeout(resolve, 20);
    };
    agent.compose(both, retryBudget(policy)).dispatch(
      { origin: server.url, path: "/", method: "GET" },
      // Both halves: undici 6 wants the one, 8 the other.
      {
        onConnect: () => undefined,
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => undefined,
        onError: end,
        onRequestStart: () => undefined,
        onResponseError: (_: unknown, error: Error) => end(error),
      } as never,
    );
  });
  await ended;
  expect(ends).toEqual(["told"]);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});
