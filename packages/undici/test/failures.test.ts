import { createServer } from "node:net";
import { refusalOf } from "@retry-budget/core";
import { errorOf, hang, listen, refusingUrl, reset, serve, status } from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { type Dispatcher, request } from "undici";
import { describe, expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { senders } from "./senders.js";

const ok = status(200);

/** The error of undici: fetch has it as the cause of its own. */
function undiciErrorOf(error: Error): unknown {
  return error.cause ?? error;
}

describe.each(senders)("$name", ({ send }) => {
  test("ends with one error when it is aborted in flight, and is not retried", async () => {
    const server = await serve(hang(), ok);
    const { dispatcher, policy } = budgetedAgent();
    const controller = new AbortController();
    const errors: Error[] = [];
    const sent = send(server.url, { dispatcher, signal: controller.signal });
    const ended = sent.catch((error: Error) => errors.push(error));
    await server.received(1);
    controller.abort();
    await ended;
    expect(errors.map(({ name }) => name)).toEqual(["AbortError"]);
    expect(server.hits).toHaveLength(1);
    expect(policy.snapshot()).toMatchObject([
      { balance: 10, retries: 0, refusals: { aborted: 1 } },
    ]);
  });

  test("is retried after the timeout of one attempt, until the caller's signal ends it all (undici #4244)", async () => {
    const server = await serve(hang());
    const { dispatcher, policy } = budgetedAgent({}, { headersTimeout: 300 });
    const controller = new AbortController();
    const ended = errorOf(send(server.url, { dispatcher, signal: controller.signal }));
    await server.received(2);
    controller.abort();
    expect(await ended).toMatchObject({ name: "AbortError" });
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ balance: 9, retries: 1, refusals: { aborted: 1 } }]);
  });

  test("with POST is sent once when the server resets after reading, and has the real error", async () => {
    const server = await serve(reset(), ok);
    const { dispatcher, policy } = budgetedAgent();
    const error = await errorOf(send(server.url, { dispatcher, method: "POST", body: "pay" }));
    expect(undiciErrorOf(error)).toMatchObject({ code: "ECONNRESET" });
    expect(refusalOf(error)).toMatchObject({ refusal: "method", attempts: 1 });
    expect(server.hits.map(({ body }) => String(body))).toEqual(["pay"]);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });

  test.each([
    [10, "attempts", 3],
    [1, "budget", 2],
    [0, "budget", 1],
  ])(
    "with POST to a refused port and %d tokens is refused for '%s' at attempt %d",
    async (initial, refusal, attempts) => {
      const { dispatcher, policy } = budgetedAgent({ initial, ratio: 0 });
      const options = { dispatcher, method: "POST", body: "pay" };
      const error = await errorOf(send(await refusingUrl(), options));
      expect(undiciErrorOf(error)).toMatchObject({ code: "ECONNREFUSED" });
      expect(refusalOf(error)).toMatchObject({ refusal, attempts });
      const retries = attempts - 1;
      expect(policy.snapshot()).toMatchObject([{ retries, balance: initial - retries }]);
    },
  );
});

test("a headers timeout is retried at the cost of a token, but a POST is not", async () => {
  const { dispatcher, policy } = budgetedAgent({}, { headersTimeout: 300 });
  const [got, posted] = [await serve(hang(), ok), await serve(hang(), ok)];
  const get = request(got.url, { dispatcher });
  const post = errorOf(request(posted.url, { dispatcher, method: "POST", body: "pay" }));
  const { statusCode, body } = await get;
  expect([statusCode, await body.text(), got.hits.length]).toEqual([200, "answer 200", 2]);
  expect(await post).toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
  expect(refusalOf(await post)).toMatchObject({ refusal: "method", attempts: 1 });
  expect(posted.hits).toHaveLength(1);
  expect(policy.snapshot()).toMatchObject([
    { origin: got.url, balance: 9, retries: 1 },
    { origin: posted.url, balance: 10, retries: 0 },
  ]);
});

test("a connect timeout was never sent: a POST may be tried again", async () => {
  const never = (): void => undefined;
  const connect = { timeout: 100, lookup: never };
  const { dispatcher } = budgetedAgent({ maxAttempts: 2 }, { connect });
  const options = { dispatcher, method: "POST", body: "x" } as const;
  const error = await errorOf(request("http://name.invalid", options));
  expect(error).toMatchObject({ code: "UND_ERR_CONNECT_TIMEOUT" });
  expect(refusalOf(error)).toMatchObject({ refusal: "attempts", attempts: 2 });
}, 20_000);

test("a POST that was started is not sent twice, whatever code its error has", async () => {
  const server = await serve((_, incoming) => incoming.socket.destroy());
  const { policy, agent } = budgetedAgent();
  const claimRefused: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    dispatch(options, {
      ...forwarding(handler),
      onResponseError: (controller, error) =>
        handler.onResponseError?.(controller, Object.assign(error, { code: "ECONNREFUSED" })),
      onError: (error) => handler.onError?.(Object.assign(error, { code: "ECONNREFUSED" })),
    });
  const dispatcher = agent.compose(claimRefused, retryBudget(policy));
  const options = { dispatcher, method: "POST", body: "pay" } as const;
  const error = await errorOf(request(server.url, options));
  expect(refusalOf(error)).toMatchObject({ refusal: "method" });
  expect(server.hits).toHaveLength(1);
});

test("a response that is not HTTP is permanent", async () => {
  const server = createServer((socket) => socket.end("nonsense\r\n\r\n"));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { dispatcher, policy } = budgetedAgent();
  const error = await errorOf(request(url, { dispatcher }));
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent", attempts: 1 });
  expect(policy.snapshot()).toMatchObject([{ balance: 10 }]);
});

test("an invalid argument fails as with bare undici and is counted nowhere", async () => {
  const { dispatcher, policy } = budgetedAgent();
  const options = { dispatcher, headersTimeout: -1 };
  await expect(request("http://127.0.0.1:1", options)).rejects.toMatchObject({
    code: "UND_ERR_INVALID_ARG",
  });
  expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 10 }]);
});

/** A handler that passes all events on in both APIs, as an interceptor of a user's would. */
function forwarding(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onConnect: (abort) => handler.onConnect?.(abort),
    onHeaders: (...head) => handler.onHeaders?.(...head) ?? true,
    onData: (chunk) => handler.onData?.(chunk) ?? true,
    onComplete: (trailers) => handler.onComplete?.(trailers),
  };
}
