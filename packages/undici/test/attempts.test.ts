import { EventEmitter, once } from "node:events";
import { createRetryPolicy } from "@retry-budget/core";
import {
  errorOf,
  hang,
  type Reply,
  refusingUrl,
  reset,
  serve,
  status,
  until,
} from "@retry-budget/testkit";
import { retryBudget } from "@retry-budget/undici";
import { Agent, type Dispatcher, MockAgent, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);
const kibibyte = "x".repeat(1024);

/** Writes as long as somebody reads, up to a limit; what became of it is told in numbers. */
class Fountain extends EventEmitter {
  written = 0;
  closed = false;
  readonly #status: number;
  readonly #limit: number;

  constructor(code: number, limit: number) {
    super();
    this.#status = code;
    this.#limit = limit;
  }

  readonly reply: Reply = (response) => {
    response.on("close", () => {
      this.closed = true;
      this.emit("closed");
    });
    response.writeHead(this.#status);
    const write = (): void => {
      let isTaken = true;
      while (isTaken && this.written < this.#limit) {
        this.written += 64 * 1024;
        isTaken = response.write(kibibyte.repeat(64));
      }
    };
    response.on("drain", write);
    write();
  };
}

describe("a failed response whose retry waits", () => {
  test("is read up to a limit, and then its socket is given up", async () => {
    const fountain = new Fountain(503, 64 * 2 ** 20);
    const server = await serve(fountain.reply, ok);
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 60_000 });
    const controller = new AbortController();
    const result = request(server.url, { dispatcher, signal: controller.signal });
    result.catch(() => undefined);
    await once(fountain, "closed");
    // The wait goes on: it was not the end of the call that closed it.
    expect(policy.snapshot()).toMatchObject([{ balance: 9, retries: 0 }]);
    controller.abort();
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
  });

  test("is cut when the caller aborts", async () => {
    const trickling = new Fountain(503, 64 * 1024);
    const server = await serve(trickling.reply, ok);
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 60_000 });
    const controller = new AbortController();
    const result = request(server.url, { dispatcher, signal: controller.signal });
    result.catch(() => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    expect(trickling.closed).toBe(false);
    controller.abort();
    await once(trickling, "closed");
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
  });
});

test("a caller who stops reading stops the server", async () => {
  const fountain = new Fountain(200, 64 * 2 ** 20);
  const server = await serve(unavailable, fountain.reply);
  const { dispatcher } = budgetedAgent();
  const { body } = await request(server.url, { dispatcher });
  // Until nothing moves any more: what fits into the buffers on the way has been written.
  let before = -1;
  while (before !== fountain.written) {
    before = fountain.written;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(fountain.written).toBeLessThan(32 * 2 ** 20);
  body.on("error", () => undefined).destroy();
});

test("an abort reaches a retry that waits in the queue for a socket, which is then never sent", async () => {
  let release: (() => void) | undefined;
  const held: Reply = (response) => {
    release = () => response.end("done");
  };
  const server = await serve(unavailable, held, ok);
  let inner: Promise<unknown> | undefined;
  const fixed = budgetedAgent(
    {
      // Takes the only socket right before the retry is sent.
      onRetry: async () => {
        inner = request(`${server.url}/inner`, { dispatcher: fixed.agent }).then(({ body }) =>
          body.text(),
        );
        await server.received(2);
      },
    },
    { connections: 1 },
  );
  const { dispatcher, policy } = fixed;
  const controller = new AbortController();
  const result = request(`${server.url}/outer`, { dispatcher, signal: controller.signal });
  result.catch(() => undefined);
  await server.received(2);
  // onRetry has ended, and the retry has been handed to undici.
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await expect(result).rejects.toMatchObject({ name: "AbortError" });
  release?.();
  expect(await inner).toBe("done");
  const last = await request(`${server.url}/last`, { dispatcher: fixed.agent });
  await last.body.dump();
  expect(server.hits.map(({ url }) => url)).toEqual(["/outer", "/inner", "/last"]);
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});

test("composed twice, the budget further out keeps the request: three attempts, one original", async () => {
  const server = await serve(unavailable);
  const inner = createRetryPolicy({ backoff: () => 1 });
  const outer = createRetryPolicy({ backoff: () => 1 });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const dispatcher = agent.compose(retryBudget(inner), retryBudget(outer));
  await (await request(server.url, { dispatcher })).body.dump();
  expect(server.hits).toHaveLength(3);
  expect(outer.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  expect(inner.snapshot()).toEqual([]);
});

test("an abort by the caller in the moment of the start sends and earns nothing", async () => {
  const server = await serve(hang());
  const { dispatcher, policy } = budgetedAgent({ initial: 0, ratio: 1 });
  await new Promise((resolve) => {
    dispatcher.dispatch(
      { origin: server.url, path: "/", method: "GET" },
      {
        onRequestStart: (controller) => controller.abort(new Error("not now")),
        onResponseError: (_, error) => resolve(error),
      },
    );
  });
  expect(server.hits).toHaveLength(0);
  expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 0 }]);
});

test("while the retry of a refused connection waits, the caller can abort", async () => {
  const { dispatcher, policy } = budgetedAgent({ backoff: () => 60_000 });
  const controller = new AbortController();
  const options = { dispatcher, signal: controller.signal };
  const result = request(await refusingUrl(), options);
  result.catch(() => undefined);
  await until(() => policy.snapshot()[0]?.balance === 9);
  controller.abort();
  await expect(result).rejects.toMatchObject({ name: "AbortError" });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});

test("an error that comes after the retry was sent is handed over as undici made it", async () => {
  const server = await serve(unavailable, reset());
  const { dispatcher } = budgetedAgent({ maxAttempts: 2 });
  const error = await errorOf(request(server.url, { dispatcher }));
  expect(error).toMatchObject({ code: "ECONNRESET" });
  // It may belong to several requests, so nothing of this one is written to it.
  expect(error).not.toHaveProperty("cause");
});

test("an error that attempts share does not become its own cause", async () => {
  const mock = new MockAgent();
  mock.disableNetConnect();
  onTestFinished(() => mock.close());
  const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  mock.get("http://mocked.example").intercept({ path: "/" }).replyWithError(error).persist();
  const dispatcher = mock.compose(retryBudget({ backoff: () => 1 }));
  await expect(request("http://mocked.example/", { dispatcher })).rejects.toBe(error);
  expect(error.cause).toBeUndefined();
});

test("a dispatcher beneath that throws at the retry: the failure is its cause, the token is back", async () => {
  const server = await serve(unavailable);
  const { policy, agent } = budgetedAgent();
  let dispatched = 0;
  const throwing: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    dispatched++;
    if (dispatched === 2) throw new Error("no more");
    return dispatch(options, handler);
  };
  const dispatcher = agent.compose(throwing, retryBudget(policy));
  await expect(request(server.url, { dispatcher })).rejects.toMatchObject({
    message: "no more",
    cause: { statusCode: 503 },
  });
  expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
});
