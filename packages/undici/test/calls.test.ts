import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { type Reply, refusingUrl, serve, status } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import * as undici from "undici";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const named: Reply = (response) => {
  response.writeHead(200, { "x-name": "second" }).end("the whole body");
};

/** Status, a header and the body, as this way of calling gives them. */
type Got = [number, unknown, string];
type Call = (dispatcher: Dispatcher, origin: string) => Promise<Got>;

async function fromRequest(result: Promise<Dispatcher.ResponseData>): Promise<Got> {
  const { statusCode, headers, body } = await result;
  return [statusCode, headers["x-name"], await body.text()];
}

/** @param call is given what makes the stream that the response is written to */
async function fromStream(
  call: (factory: (data: Dispatcher.StreamFactoryData) => PassThrough) => Promise<unknown>,
): Promise<Got> {
  const written = new PassThrough();
  let head: [number, unknown] | undefined;
  const body = text(written);
  await call(({ statusCode, headers }) => {
    head = [statusCode, headers["x-name"]];
    return written;
  });
  return [...(head ?? [0, "no response"]), await body] as Got;
}

const get = { path: "/", method: "GET" } as const;

function dispatchModern(dispatcher: Dispatcher, origin: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    let head: [number, unknown] = [0, undefined];
    const chunks: Buffer[] = [];
    dispatcher.dispatch(
      { ...get, origin },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode, headers) => {
          head = [statusCode, headers["x-name"]];
        },
        onResponseData: (_, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve([...head, String(Buffer.concat(chunks))]),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

function dispatchLegacy(dispatcher: Dispatcher, origin: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    let head: [number, unknown] = [0, undefined];
    const chunks: Buffer[] = [];
    const handler = {
      onConnect: () => undefined,
      onHeaders: (statusCode: number, rawHeaders: Buffer[]) => {
        const name = rawHeaders.findIndex((entry) => String(entry) === "x-name");
        head = [statusCode, String(rawHeaders[name + 1])];
        return true;
      },
      onData: (chunk: Buffer) => chunks.push(chunk) > 0,
      onComplete: () => resolve([...head, String(Buffer.concat(chunks))]),
      onError: reject,
    };
    dispatcher.dispatch({ ...get, origin }, handler as Dispatcher.DispatchHandler);
  });
}

const calls: [string, Call][] = [
  ["request()", (dispatcher, origin) => fromRequest(undici.request(origin, { dispatcher }))],
  [
    "dispatcher.request()",
    (dispatcher, origin) => fromRequest(dispatcher.request({ ...get, origin })),
  ],
  [
    "stream()",
    (dispatcher, origin) => fromStream((to) => undici.stream(origin, { ...get, dispatcher }, to)),
  ],
  [
    "dispatcher.stream()",
    (dispatcher, origin) => fromStream((to) => dispatcher.stream({ ...get, origin }, to)),
  ],
  [
    "fetch()",
    async (dispatcher, origin) => {
      const response = await undici.fetch(origin, { dispatcher });
      return [response.status, response.headers.get("x-name"), await response.text()];
    },
  ],
  ["dispatch(), with a handler of today's API", dispatchModern],
  ["dispatch(), with a handler of undici 6's API", dispatchLegacy],
];

describe.each(calls)("%s", (_, call) => {
  test("gives the answer to the retry", async () => {
    const server = await serve(unavailable, named);
    const { dispatcher, policy } = budgeted(new Agent());
    expect(await call(dispatcher, server.url)).toEqual([200, "second", "the whole body"]);
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });

  test("fails with the error of the last attempt", async () => {
    const url = await refusingUrl();
    const { dispatcher, policy } = budgeted(new Agent());
    const error: unknown = await call(dispatcher, url).catch((reason) => reason);
    const { code, cause } = error as { code?: string; cause?: { code?: string } };
    expect(code ?? cause?.code).toBe("ECONNREFUSED");
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  });
});

test("dispatch() gives what the first dispatch beneath gave", async () => {
  const server = await serve(unavailable, named);
  const { agent, policy } = budgetedAgent();
  const results: unknown[] = [];
  let dispatched = 0;
  const beneath: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    dispatch(options, handler);
    dispatched++;
    return dispatched !== 1;
  };
  const above: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    results.push(dispatch(options, handler)) > 0;
  const dispatcher = agent.compose(beneath, retryBudget(policy), above);
  await (await undici.request(server.url, { dispatcher })).body.dump();
  expect([results, dispatched]).toEqual([[false], 2]);
});
