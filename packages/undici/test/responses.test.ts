import { refusalOf } from "@retry-budget/core";
import { type Reply, serve, status, truncate } from "@retry-budget/testkit";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { senders } from "./senders.js";

const unavailable = status(503);
const ok = status(200);
const endless: Reply = (response) => {
  response.writeHead(503).write("never ended");
};

/** Replies, and how many sockets they came to. */
function onSockets(...replies: Reply[]): { replies: Reply[]; sockets: Set<unknown> } {
  const sockets = new Set<unknown>();
  const noticing =
    (reply: Reply): Reply =>
    (response, incoming) => {
      sockets.add(incoming.socket);
      reply(response, incoming);
    };
  return { replies: replies.map(noticing), sockets };
}

describe.each(senders)("$name", ({ send }) => {
  test("never resumes a response that broke off: an error, one hit, no Range (undici #3356, #3128, #4970, PR #4975, PR #5724)", async () => {
    const server = await serve(truncate(), ok);
    const { dispatcher, policy } = budgetedAgent();
    const received = await send(server.url, { dispatcher });
    await expect(received.text()).rejects.toThrow();
    expect(server.hits.map(({ headers }) => headers.range)).toEqual([undefined]);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, retries: 0 }]);
  });

  test.each(["bytes 0-4/10", "bytes 0-4/*"])(
    "passes the caller's own Range on, and a 206 of %s back (undici #2986, #5119, PR #3826)",
    async (contentRange) => {
      const partial = status(206, { "content-range": contentRange }, "01234");
      const server = await serve(unavailable, partial);
      const { dispatcher } = budgetedAgent();
      const headers = { range: "bytes=0-4" };
      const received = await send(server.url, { dispatcher, headers });
      expect([received.status, received.header("content-range")]).toEqual([206, contentRange]);
      expect(await received.text()).toBe("01234");
      expect(server.hits.map((hit) => hit.headers.range)).toEqual(["bytes=0-4", "bytes=0-4"]);
    },
  );

  test("gets the last response with its body when retries are used up (undici #3837, #4222)", async () => {
    const failing = (body: string): Reply => status(503, { "x-body": body }, body);
    const server = await serve(failing("first"), failing("second"), failing("third"), ok);
    const { dispatcher } = budgetedAgent();
    const received = await send(server.url, { dispatcher });
    expect([received.status, received.header("x-body")]).toEqual([503, "third"]);
    expect(await received.text()).toBe("third");
    expect(server.hits).toHaveLength(3);
  });

  test("gets the 503 with its body when the budget refuses", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent({ initial: 0 });
    const received = await send(server.url, { dispatcher });
    expect([received.status, await received.text()]).toEqual([503, "answer 503"]);
  });

  test("gets the 503 of a POST with its body, and no UND_ERR_REQ_RETRY", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher, policy } = budgetedAgent();
    const received = await send(server.url, { dispatcher, method: "POST", body: "pay" });
    expect([received.status, await received.text()]).toEqual([503, "answer 503"]);
    expect(server.hits).toHaveLength(1);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { method: 1 } }]);
  });

  test.each([400, 404])("gets a %d as it is, and no token is spent", async (code) => {
    const server = await serve(status(code, { "x-trace": "7" }, "your mistake"), ok);
    const { dispatcher, policy } = budgetedAgent();
    const received = await send(server.url, { dispatcher });
    expect([received.status, received.header("x-trace")]).toEqual([code, "7"]);
    expect(await received.text()).toBe("your mistake");
    expect(server.hits).toHaveLength(1);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, originals: 1, retries: 0 }]);
  });
});

describe("the body of a failed response", () => {
  test("is read when it is small, so that three attempts need one socket (undici #4222, PR #4228)", async () => {
    const { replies, sockets } = onSockets(unavailable, unavailable, ok);
    const server = await serve(...replies);
    const { dispatcher } = budgetedAgent({ backoff: () => 50 }, { connections: 1 });
    const result = await request(server.url, { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "answer 200"]);
    expect(sockets.size).toBe(1);
  });

  test.each<[string, Reply]>([
    [
      "a length of one mebibyte",
      status(503, { "content-length": `${2 ** 20}` }, "x".repeat(2 ** 20)),
    ],
    [
      "one mebibyte in chunks",
      status(503, { "transfer-encoding": "chunked" }, "x".repeat(2 ** 20)),
    ],
  ])("is cut when it has %s, and the retry needs a second socket", async (_, reply) => {
    const { replies, sockets } = onSockets(reply, ok);
    const server = await serve(...replies);
    // Long enough to read all of it: it is cut for its size, and not for the end of the wait.
    const { dispatcher } = budgetedAgent({ backoff: () => 300 }, { connections: 1 });
    const result = await request(server.url, { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "answer 200"]);
    expect(sockets.size).toBe(2);
  });

  test("is cut when it never ends and the retry is due", async () => {
    const server = await serve(endless, ok);
    const { dispatcher } = budgetedAgent({}, { connections: 1 });
    const result = await request(server.url, { dispatcher });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "answer 200"]);
    expect(refusalOf(result)).toBeUndefined();
  });
});
