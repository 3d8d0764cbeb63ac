import { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Reply, serve, status } from "@retry-budget/testkit";
import { Agent, Dispatcher, request } from "undici";
import { describe, expect, test } from "vitest";
import { budgeted } from "./budgeted.js";
import { budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";

const mebibyte = 2 ** 20;
const unavailable = status(503);
const ok = status(200);
const large = status(200, {}, "x".repeat(4 * mebibyte));
const cookies: Reply = (response) => {
  response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("done");
};
const hintsThen =
  (code: number): Reply =>
  (response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(code).end("after hints");
  };

describe.each(fetches)("the retry of $name delivers", ({ fetch }) => {
  test("four mebibytes to a slow reader (undici PR #5405)", async () => {
    const server = await serve(unavailable, large);
    const { dispatcher } = budgetedAgent();
    const { body } = await fetch(server.url, { dispatcher });
    let received = 0;
    for await (const chunk of body ?? []) {
      received += chunk.length;
      await setImmediate();
    }
    expect(received).toBe(4 * mebibyte);
  });

  test("two cookies that stay two (undici #3934)", async () => {
    const server = await serve(unavailable, cookies);
    const { dispatcher } = budgetedAgent();
    const response = await fetch(server.url, { dispatcher });
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, ["a=1", "b=2"]]);
    expect(await response.text()).toBe("done");
  });

  test("a body that is decoded from gzip (undici #5858)", async () => {
    const zipped: Reply = (response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("plain text"));
    };
    const server = await serve(unavailable, zipped);
    const { dispatcher } = budgetedAgent();
    const response = await fetch(server.url, { dispatcher });
    expect([response.status, await response.text()]).toEqual([200, "plain text"]);
  });
});

describe("a retry delivers", () => {
  test("four mebibytes through stream to a slow writer (undici PR #5405)", async () => {
    const server = await serve(unavailable, large);
    const { dispatcher } = budgetedAgent();
    let received = 0;
    const slow = new Writable({
      highWaterMark: 1024,
      write: (chunk: Buffer, _, done) => {
        received += chunk.length;
        setImmediate().then(() => done());
      },
    });
    await dispatcher.stream({ origin: server.url, path: "/", method: "GET" }, () => slow);
    expect(received).toBe(4 * mebibyte);
  });

  test("the raw list of headers", async () => {
    const server = await serve(unavailable, cookies);
    const { dispatcher } = budgetedAgent();
    const result = await request(server.url, { dispatcher, responseHeaders: "raw" });
    await result.body.dump();
    const raw = result.headers as unknown as string[];
    const at = raw.indexOf("set-cookie");
    expect(raw.slice(at, at + 4)).toEqual(["set-cookie", "a=1", "set-cookie", "b=2"]);
  });

  test("the raw list of headers through a dispatcher of the user's own (undici #3934)", async () => {
    class Forwarding extends Dispatcher {
      // undici 7 wraps what is composed, and nests the values of repeated names.
      readonly #inner = new Agent().compose(
        (dispatch) => (options, handler) => dispatch(options, handler),
      );
      override dispatch(...given: Parameters<Dispatcher["dispatch"]>): boolean {
        return this.#inner.dispatch(...given);
      }
      override destroy(): Promise<void> {
        return this.#inner.destroy();
      }
    }
    const server = await serve(unavailable, cookies);
    const { dispatcher } = budgeted(new Forwarding());
    const result = await request(server.url, { dispatcher, responseHeaders: "raw" });
    await result.body.dump();
    const raw = result.headers as unknown as string[];
    const at = raw.indexOf("set-cookie");
    expect(raw.slice(at, at + 4)).toEqual(["set-cookie", "a=1", "set-cookie", "b=2"]);
  });

  test("trailers", async () => {
    const withTrailers: Reply = (response) => {
      response.writeHead(200, { trailer: "x-sum" });
      response.write("body");
      response.addTrailers({ "x-sum": "42" });
      response.end();
    };
    const server = await serve(unavailable, withTrailers);
    const { dispatcher } = budgetedAgent();
    const result = await request(server.url, { dispatcher });
    expect(await result.body.text()).toBe("body");
    expect(result.trailers).toEqual({ "x-sum": "42" });
  });

  test.each<[string, Reply[], string]>([
    ["its own response", [unavailable, hintsThen(200)], "after hints"],
    ["the 503 that is retried", [hintsThen(503), ok], "answer 200"],
  ])("a 103 that came before %s", async (_, replies, body) => {
    const server = await serve(...replies);
    const { dispatcher, policy } = budgetedAgent();
    const informed: number[] = [];
    const result = await request(server.url, {
      dispatcher,
      onInfo: ({ statusCode }) => informed.push(statusCode),
    });
    expect([result.statusCode, await result.body.text(), informed]).toEqual([200, body, [103]]);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
  });

  test("200 MiB, of which nothing is kept (undici #3365)", async () => {
    const piece = Buffer.alloc(mebibyte);
    const pouring: Reply = (response) => {
      Readable.from(Array.from({ length: 200 }, () => piece)).pipe(response);
    };
    const server = await serve(unavailable, pouring);
    const { dispatcher } = budgetedAgent();
    const held = (): number => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const { body } = await request(server.url, { dispatcher });
    const before = held();
    let [received, most] = [0, 0];
    for await (const chunk of body) {
      received += (chunk as Buffer).length;
      most = Math.max(most, held() - before);
    }
    expect(received).toBe(200 * mebibyte);
    // What waits for the garbage collector is in it; what is kept would come to 200 MiB.
    expect(most).toBeLessThan(120 * mebibyte);
  }, 30_000);
});
