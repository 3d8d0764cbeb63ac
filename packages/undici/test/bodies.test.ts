import { once } from "node:events";
import { createReadStream, openAsBlob, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { refusalOf } from "@retry-budget/core";
import {
  errorOf,
  type FlakyServer,
  freePort,
  listen,
  refusingUrl,
  reset,
  serve,
  status,
  until,
} from "@retry-budget/testkit";
import { FormData, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";
import { undiciMajor } from "./undici-major.js";

const unavailable = status(503);
const ok = status(200);
const kibibyte = "x".repeat(1024);
const recorded = 256 * 1024;

const bodiesOf = ({ hits }: FlakyServer): string[] => hits.map(({ body }) => String(body));

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (const piece of ["größ", "er ", "body"]) yield Buffer.from(piece);
}

describe.each(fetches)("$name", ({ fetch, FormData }) => {
  test("sends a text again, byte for byte (undici #3288, PR #3294)", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const body = "größer ".repeat(1000);
    const response = await fetch(server.url, { dispatcher, method: "PUT", body });
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
    expect(bodiesOf(server)).toEqual([body, body]);
  });

  test.each<[string, () => unknown]>([
    ["a ReadableStream", () => ReadableStream.from(pieces())],
    ["an async generator", pieces],
  ])("sends %s again, byte for byte (undici #3288)", async (_, body) => {
    const server = await serve(unavailable, unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const options = { dispatcher, method: "PUT", body: body(), duplex: "half" };
    const response = await fetch(server.url, options);
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
    expect(bodiesOf(server)).toEqual(["größer body", "größer body", "größer body"]);
  });

  test("sends FormData again, with the boundary that its header names (undici #3288)", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const body = new FormData();
    body.set("field", "value");
    const response = await fetch(server.url, { dispatcher, method: "PUT", body });
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
    const [first, second] = server.hits;
    expect(String(first?.body)).toContain('name="field"\r\n\r\nvalue\r\n');
    expect(String(second?.body)).toBe(String(first?.body));
    expect(second?.headers["content-type"]).toBe(first?.headers["content-type"]);
  });

  test("sends a text again when the connection was reset (undici #3288)", async () => {
    const server = await serve(reset(), ok);
    const { dispatcher } = budgetedAgent();
    const response = await fetch(server.url, { dispatcher, method: "PUT", body: "body" });
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
    expect(bodiesOf(server)).toEqual(["body", "body"]);
  });

  test.each([
    [1024, { recordLimit: 1024 }, [200, 2, {}]],
    [1024, { recordLimit: 1023 }, [503, 1, { body: 1 }]],
    [1, { recordLimit: 0 }, [503, 1, { body: 1 }]],
    [recorded, {}, [200, 2, {}]],
    [recorded + 1, {}, [503, 1, { body: 1 }]],
  ])("keeps of %d bytes no more than %j: %j (undici #3365)", async (size, settings, expected) => {
    const server = await serve(unavailable, ok);
    const { dispatcher, policy } = budgetedAgent({}, {}, settings);
    const body = kibibyte.repeat(recorded / 1024 + 1).slice(0, size);
    const response = await fetch(server.url, { dispatcher, method: "PUT", body });
    expect(await response.text()).toBe(`answer ${response.status}`);
    const refusals = policy.snapshot()[0]?.refusals;
    expect([response.status, server.hits.length, refusals]).toEqual(expected);
  });
});

describe("request", () => {
  test.each<[string, () => unknown]>([
    ["a string", () => "body"],
    ["a Buffer", () => Buffer.from("body")],
    ["a Uint8Array", () => new TextEncoder().encode("body")],
    ["a Blob", () => new Blob(["body"])],
    ["an array", () => ["bo", "dy"]],
    ["a generator", () => ["bo", "dy"].values()],
  ])("sends %s again, byte for byte (undici #4691, PR #4692)", async (_, body) => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const result = await request(server.url, { dispatcher, method: "PUT", body: body() as string });
    await result.body.dump();
    expect(result.statusCode).toBe(200);
    expect(bodiesOf(server)).toEqual(["body", "body"]);
  });

  test("sends FormData again with all its fields (undici #4691, PR #4692)", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    const body = new FormData();
    body.set("field", "value");
    const result = await request(server.url, { dispatcher, method: "PUT", body });
    await result.body.dump();
    expect([result.statusCode, server.hits.length]).toEqual([200, 2]);
    for (const hit of bodiesOf(server)) expect(hit).toMatch(/name="field"\r\n\r\nvalue\r\n/);
  });

  test("sends a stream once: the 503 passes, and no second body that is empty", async () => {
    const server = await serve(unavailable, ok);
    const { dispatcher, policy } = budgetedAgent();
    const body = Readable.from(["the ", "whole ", "body"]);
    const result = await request(server.url, { dispatcher, method: "PUT", body });
    expect([result.statusCode, await result.body.text()]).toEqual([503, "answer 503"]);
    expect(bodiesOf(server)).toEqual(["the whole body"]);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { body: 1 } }]);
  });

  test("sends a stream again whose connection was refused: nothing had been read of it", async () => {
    const port = await freePort();
    const late = createServer(async (incoming, response) => {
      response.end(await buffer(incoming));
    });
    onTestFinished(() => void late.close().closeAllConnections());
    const { dispatcher } = budgetedAgent({
      onRetry: async () => {
        late.listen(port, "127.0.0.1");
        await once(late, "listening");
      },
    });
    const body = Readable.from(["the ", "whole ", "body"]);
    const result = await request(`http://127.0.0.1:${port}`, { dispatcher, method: "POST", body });
    expect([result.statusCode, await result.body.text()]).toEqual([200, "the whole body"]);
  });

  const path = fileURLToPath(import.meta.url);
  test.each<[string, () => unknown]>([
    ["a stream", () => createReadStream(path)],
    ["the promise of a stream", async () => createReadStream(path)],
    ["the promise of a Buffer", () => readFile(path)],
    ["the promise of a Blob", () => openAsBlob(path)],
    ["an array", () => [readFileSync(path)]],
  ])("sends %s that a factory makes for every retry (undici #112, PR #5008)", async (_, make) => {
    const server = await serve(unavailable, unavailable, ok);
    const { dispatcher } = budgetedAgent();
    let made = 0;
    const body = (): unknown => {
      made++;
      return make();
    };
    const result = await request(server.url, {
      dispatcher,
      method: "POST",
      body: createReadStream(path),
      retryBudget: { idempotent: true, body },
    });
    await result.body.dump();
    expect([result.statusCode, made]).toEqual([200, 2]);
    const content = readFileSync(path, "utf8");
    expect(bodiesOf(server)).toEqual([content, content, content]);
  });
});

test.each(["GET", "PUT"] as const)(
  "pipeline sends its stream once, also that of a %s: the 503 passes",
  async (method) => {
    const server = await serve(unavailable, ok);
    const { dispatcher } = budgetedAgent();
    let seen: number | undefined;
    const options = { origin: server.url, path: "/", method };
    const pipeline = dispatcher.pipeline(options, ({ statusCode, body }) => {
      seen = statusCode;
      return body;
    });
    pipeline.end(method === "PUT" ? "once" : undefined);
    expect([await text(pipeline), seen]).toEqual(["answer 503", 503]);
    expect(bodiesOf(server)).toEqual([method === "PUT" ? "once" : ""]);
  },
);

describe("a stream is not sent twice", () => {
  test.each([1, 300])("when undici had taken hold of it, %d ms before the retry", async (wait) => {
    const drops = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      setTimeout(() => socket.destroy(), 30);
    });
    let connections = 0;
    drops.on("connection", () => connections++);
    const { dispatcher } = budgetedAgent({ backoff: () => wait });
    // Its first chunk comes after the connection is gone.
    const slow = new Readable({ read: () => undefined });
    const timer = setTimeout(() => slow.push("late"), 100);
    onTestFinished(() => clearTimeout(timer));
    const url = `http://127.0.0.1:${await listen(drops)}`;
    const error = await errorOf(request(url, { dispatcher, method: "PUT", body: slow }));
    expect(error).toMatchObject({ code: "UND_ERR_SOCKET" });
    expect(refusalOf(error)).toMatchObject({ refusal: "body" });
    expect(connections).toBe(1);
  });

  test.each<[string, (body: Readable) => void, object]>([
    [
      "failed",
      (body) => body.destroy(new Error("file gone")),
      // The request of undici 6 listens to its stream by itself.
      undiciMajor === 6 ? { message: "file gone" } : { code: "ECONNREFUSED" },
    ],
    ["was read", (body) => body.resume(), { code: "ECONNREFUSED" }],
  ])("when it %s while the retry waits: no crash, and an error", async (_, spoil, expected) => {
    const { dispatcher, policy } = budgetedAgent({ backoff: () => 30 });
    const body = Readable.from(["a", "b"]);
    const result = request(await refusingUrl(), { dispatcher, method: "POST", body });
    result.catch(() => undefined);
    await until(() => policy.snapshot()[0]?.balance === 9);
    spoil(body);
    await expect(result).rejects.toMatchObject(expected);
    await until(() => policy.snapshot()[0]?.balance === 10);
    expect(policy.snapshot()).toMatchObject([{ retries: 0 }]);
  });
});
