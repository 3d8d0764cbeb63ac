import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { refusalOf } from "@retry-budget/core";
import { errorOf, serve, status, until } from "@retry-budget/testkit";
import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);

async function* pieces(count: number, size: number): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < count; piece++) {
    yield Buffer.alloc(size, piece);
    await setTimeout(1);
  }
}

test("a body whose source fails is sent once, whatever the code of its error: no token pays for it", async () => {
  const server = await serve(ok);
  const { dispatcher, policy } = budgetedAgent();
  async function* failing(): AsyncGenerator<string> {
    yield "the beginning";
    throw Object.assign(new Error("upstream"), { code: "ECONNRESET" });
  }
  const body = failing() as never;
  const error = await errorOf(request(server.url, { dispatcher, method: "PUT", body }));
  expect(error).toMatchObject({ message: "upstream" });
  expect(refusalOf(error)).toMatchObject({ refusal: "body", attempts: 1 });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});

test("an upload that goes on under a failed response is not read beyond the limit in the wait", async () => {
  let hits = 0;
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    hits++;
    incoming.on("error", () => undefined).resume();
    response.writeHead(503).write("bu");
    globalThis.setTimeout(() => response.end("sy"), 100);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const { dispatcher } = budgetedAgent({ backoff: () => 40, maxAttempts: 2 });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const body = pieces(80, 8 * 1024) as never;
  const result = await request(url, { dispatcher, method: "PUT", body });
  expect([result.statusCode, await result.body.text(), hits]).toEqual([503, "busy", 2]);
});

test("a body factory may give a stream of the old kind, which tells nothing of itself", async () => {
  const server = await serve(unavailable, ok);
  const { dispatcher } = budgetedAgent();
  const old = (): PassThrough => {
    const stream = new PassThrough();
    for (const name of ["readableDidRead", "destroyed", "errored"]) {
      Object.defineProperty(stream, name, { get: () => undefined, set: () => undefined });
    }
    stream.end("whole");
    return stream;
  };
  const options = { dispatcher, method: "PUT" as const, retryBudget: { body: old } };
  const result = await request(server.url, { ...options, body: Readable.from(["whole"]) });
  await result.body.dump();
  expect(result.statusCode).toBe(200);
  expect(server.hits.map((hit) => String(hit.body))).toEqual(["whole", "whole"]);
});

test.each<[string, () => unknown]>([
  ["generator", () => pieces(1, 4)],
  ["stream", () => Readable.from(["once"])],
])("a body factory that gives the same %s again gives nothing to send", async (_, make) => {
  const server = await serve(unavailable, ok);
  const { dispatcher, policy } = budgetedAgent();
  const body = make() as Readable;
  const options = { dispatcher, method: "PUT" as const, body, retryBudget: { body: () => body } };
  const error = await errorOf(request(server.url, options));
  expect(error).toMatchObject({ code: "RETRY_BUDGET_ABANDONED", statusCode: 503 });
  expect(server.hits).toHaveLength(1);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});

test("a stream that was made for a retry which is never sent is destroyed", async () => {
  const server = await serve(unavailable);
  const made: Readable[] = [];
  const fixed = budgetedAgent();
  const body = async (): Promise<Readable> => {
    const stream = Readable.from(["again"]);
    made.push(stream);
    await fixed.agent.destroy();
    return stream;
  };
  const options = { dispatcher: fixed.dispatcher, method: "PUT" as const, retryBudget: { body } };
  const error = await errorOf(request(server.url, { ...options, body: Readable.from(["first"]) }));
  expect(error).toMatchObject({ code: "UND_ERR_DESTROYED" });
  await until(() => made.every(({ destroyed }) => destroyed));
  expect(made).toHaveLength(1);
});

test("what cannot be dispatched at all is answered by undici, not by us", () => {
  const { dispatcher, agent } = budgetedAgent();
  const plain = agent.compose((dispatch) => (options, handler) => dispatch(options, handler));
  const errorOfDispatch = (dispatch: () => unknown): unknown => {
    try {
      return dispatch();
    } catch (error) {
      return String(error);
    }
  };
  const origin = "http://127.0.0.1:1";
  const valid = { origin, path: "/", method: "GET" };
  for (const [options, handler] of [
    [null, {}],
    [valid, null],
  ] as [never, never][]) {
    const ours = errorOfDispatch(() => dispatcher.dispatch(options, handler));
    expect(ours).toEqual(errorOfDispatch(() => plain.dispatch(options, handler)));
  }
});
