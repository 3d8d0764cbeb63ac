import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { refusalOf } from "@retry-budget/core";
import { errorOf, type Reply, refusingUrl, serve, status } from "@retry-budget/testkit";
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

const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};

/** Status, a header and the body, as this way of calling gives them. */
type Got = [number, unknown, string];
type Failure = { readonly code?: string; readonly cause?: { readonly code?: string } };
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
    const { code, cause } = await errorOf<Failure>(call(dispatcher, url));
    expect(code ?? cause?.code).toBe("ECONNREFUSED");
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  });
});

describe("a caller that speaks the modern handler API alone", () => {
  const send = (dispatcher: Dispatcher, origin: string, pauseFirst: boolean): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const log: unknown[] = [];
      let starts = 0;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: (controller) => {
          starts++;
          log.push(["start", starts, controller.aborted, controller.reason]);
        },
        onResponseStart: (controller, statusCode, headers) => {
          log.push([
            "head",
            statusCode,
            headers["set-cookie"],
            Array.isArray(controller.rawHeaders),
          ]);
          if (!pauseFirst) return;
          controller.pause();
          log.push(["paused", controller.paused]);
          setTimeout(() => controller.resume(), 20);
        },
        onResponseData: (_, chunk) => log.push(["data", String(chunk)]),
        onResponseEnd: (_, trailers) => {
          log.push(["end", trailers]);
          resolve(log);
        },
        onResponseError: (_, error) => reject(error),
      };
      dispatcher.dispatch({ origin, path: "/", method: "GET" }, handler);
    });

  test.each([false, true])(
    "is started once and told one response, paused first: %s",
    async (pauseFirst) => {
      const server = await serve(unavailable, cookies);
      const { dispatcher } = budgetedAgent();
      expect(await send(dispatcher, server.url, pauseFirst)).toEqual([
        ["start", 1, false, null],
        ["head", 200, ["a=1", "b=2"], true],
        ...(pauseFirst ? [["paused", true]] : []),
        ["data", "done"],
        ["end", {}],
      ]);
    },
  );

  test("gets the error of the last attempt", async () => {
    const { dispatcher } = budgetedAgent();
    const error = await errorOf(send(dispatcher, await refusingUrl(), false));
    expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 3 });
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
