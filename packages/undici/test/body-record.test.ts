import { createServer, type RequestListener } from "node:http";
import { setTimeout } from "node:timers/promises";
import { errorOf, listen, serve, status, until } from "@retry-budget/testkit";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { senders } from "./senders.js";

/** A server that need not read a request to its end, as those of the testkit do. */
async function serveListener(listener: RequestListener): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.on("error", () => undefined);
    listener(incoming, response);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** A body of that many pieces, and whether it was closed. */
function source(pieces: number): { body: AsyncGenerator<Uint8Array>; closed: () => number } {
  let closed = 0;
  async function* generate(): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = 0; piece < pieces; piece++) {
        yield Buffer.from(`${piece},`);
        await setTimeout(5);
      }
    } finally {
      closed++;
    }
  }
  return { body: generate(), closed: () => closed };
}

describe.each(senders)("the body that $name is given", ({ send }) => {
  const put = { method: "PUT", duplex: "half" };

  test("is sent from its start after a 503 that came before its end", async () => {
    let [hits, received] = [0, ""];
    const url = await serveListener((incoming, response) => {
      hits++;
      const code = hits === 1 ? 503 : 200;
      if (code === 503) incoming.once("data", () => response.writeHead(code).end());
      else {
        incoming.on("data", (chunk) => {
          received += chunk;
        });
        incoming.on("end", () => response.writeHead(code).end());
      }
    });
    const { dispatcher } = budgetedAgent();
    const { body, closed } = source(6);
    expect(await send(url, { ...put, dispatcher, body })).toMatchObject({ status: 200 });
    expect([hits, received, closed()]).toEqual([2, "0,1,2,3,4,5,", 1]);
  });

  test("fails the request when it fails itself, with its own error and no retry", async () => {
    const server = await serve(status(200));
    const { dispatcher, policy } = budgetedAgent();
    const fault = Object.assign(new Error("disk gone"), { code: "EIO" });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half");
      throw fault;
    }
    const error = await errorOf(send(server.url, { ...put, dispatcher, body: body() }));
    expect(error.cause ?? error).toBe(fault);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
    expect(server.hits).toHaveLength(0);
  });
});

// Only here: fetch reads a generator out, whatever becomes of the request.
describe("the body that request is given", () => {
  test("is left open in the wait, and closed when the wait is aborted", async () => {
    const url = await serveListener((incoming, response) => {
      incoming.once("data", () => response.writeHead(503).end());
    });
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 10_000 });
    const { body, closed } = source(10_000);
    const controller = new AbortController();
    const options = { method: "PUT", dispatcher, body, signal: controller.signal };
    const error = errorOf(request(url, options as object));
    await until(() => policy.snapshot()[0]?.balance === 9);
    expect(closed()).toBe(0);
    controller.abort();
    expect(await error).toMatchObject({ name: "AbortError" });
    await until(() => closed() === 1);
  });

  test.each<[string, object]>([
    ["its only attempt fails", { retryBudget: { maxAttempts: 1 } }],
    ["it opts out of the budget", { retryBudget: false }],
  ])("is closed when %s", async (_, own) => {
    const url = await serveListener((incoming) => {
      incoming.once("data", () => incoming.socket.destroy());
    });
    const { dispatcher } = budgetedAgent();
    const { body, closed } = source(10_000);
    await errorOf(request(url, { method: "PUT", dispatcher, body, ...own } as object));
    await until(() => closed() === 1);
  });
});
