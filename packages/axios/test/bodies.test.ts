import { once } from "node:events";
import { createReadStream } from "node:fs";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { reset, serve, status } from "@retry-budget/testkit";
import FormDataPackage from "form-data";
import { describe, expect, onTestFinished, test } from "vitest";
import { bodies, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

describe("what is sent again:", () => {
  test.each<[string, unknown]>([
    ["a string", "text"],
    ["a Buffer", Buffer.from("text")],
    ["URLSearchParams", new URLSearchParams({ a: "b" })],
    ...(axiosMinor < 7 ? [] : [["a Blob", new Blob(["text"])] as [string, unknown]]),
    ["an object", { a: 1 }],
  ])("%s, byte for byte", async (_, body) => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    await instance.put(server.url, body);
    const [first, second] = bodies(server);
    expect(first).not.toBe("");
    expect(second).toBe(first);
  });

  // axios 1.21 draws a new boundary for each attempt: its own pattern for one overlooks the dots.
  test.skipIf(axiosMinor < 7)(
    "native FormData, with the fields in full and the boundary that its header names",
    async () => {
      const server = await serve(unavailable, ok);
      const { instance } = fixture();
      const form = new FormData();
      form.set("field", "value");
      await instance.put(server.url, form);
      const plain = server.hits.map(({ headers, body }) => {
        const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "none";
        return String(body).replaceAll(boundary, "BOUNDARY");
      });
      expect(plain[0]).toMatch(/^--BOUNDARY\r\n.*name="field"\r\n\r\nvalue\r\n--BOUNDARY--\r\n/s);
      expect(plain[1]).toBe(plain[0]);
    },
  );
});

test("an upload that was answered before its end is let go: no deadlock with maxSockets: 1", async () => {
  let requests = 0;
  const server = createServer(async (request, response) => {
    // Nothing is read of the first one before it is answered.
    if (++requests === 1) response.writeHead(503).end("busy");
    const { length } = await buffer(request).catch(() => "");
    if (!response.writableEnded) response.end(`stored ${length}`);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  await once(server, "listening");
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance, policy } = fixture({}, { httpAgent, maxRedirects: 0 });
  const { port } = server.address() as AddressInfo;
  const upload = Buffer.alloc(5_000_000, "x");
  const { status, data } = await instance.put(`http://127.0.0.1:${port}/`, upload);
  expect([requests, status, data]).toEqual([2, 200, "stored 5000000"]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
});

describe("a body that can be sent once only", () => {
  test("is made anew for each retry by the request's own function", async () => {
    const server = await serve(unavailable, unavailable, ok);
    const { instance } = fixture();
    const made: Readable[] = [];
    const body = (): Readable => {
      const stream = Readable.from([`part ${made.length + 1}`]);
      made.push(stream);
      return stream;
    };
    const response = await instance.put(server.url, Readable.from(["part 0"]), {
      retryBudget: { body },
    });
    expect(bodies(server)).toEqual(["part 0", "part 1", "part 2"]);
    expect(response.config.data).toBeInstanceOf(Readable);
    expect(made).not.toContain(response.config.data);
  });

  test("may be made as anything that `data` may be: the transforms run on it", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const body = async (): Promise<object> => ({ made: "a longer one" });
    await instance.put(server.url, { a: 1 }, { retryBudget: { body } });
    expect(bodies(server)).toEqual(['{"a":1}', '{"made":"a longer one"}']);
    expect(server.hits.map(({ headers }) => headers["content-length"])).toEqual(["7", "23"]);
  });

  test("keeps the length that the caller has named for it", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    await instance.put(server.url, Readable.from(["chunk"]), {
      headers: { "Content-Length": 5 },
      retryBudget: { body: () => Readable.from(["again"]) },
    });
    expect(server.hits.map(({ headers }) => headers["content-length"])).toEqual(["5", "5"]);
    expect(bodies(server)).toEqual(["chunk", "again"]);
  });

  test("is a form of the form-data package with a boundary of its own", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture();
    const form = (): FormDataPackage => {
      const made = new FormDataPackage();
      made.append("field", "value");
      return made;
    };
    await instance.put(server.url, form(), { retryBudget: { body: form } });
    for (const { headers, body } of server.hits) {
      const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "none";
      expect(String(body)).toContain(boundary);
      expect(String(body)).toContain('name="field"');
    }
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no file");
      },
    ],
    ["gives nothing", () => undefined],
  ])(
    "and whose function %s is not sent: the failure is the caller's, and the token goes back",
    async (_, body) => {
      const server = await serve(unavailable);
      const { instance, policy } = fixture();
      const own = { retryBudget: { body } };
      const error = await errorOf(instance.put(server.url, Readable.from(["x"]), own));
      expect([error.response?.status, server.hits.length]).toEqual([503, 1]);
      expect(policy.snapshot()).toMatchObject([{ balance: 10 }]);
    },
  );

  test("and is made for a retry that fails is closed, and so is one that comes after an abort", async () => {
    const server = await serve(unavailable, reset());
    const { instance } = fixture();
    const made: Readable[] = [];
    const body = (): Readable => {
      const stream = Readable.from(["part"]);
      made.push(stream);
      return stream;
    };
    await errorOf(instance.put(server.url, body(), { retryBudget: { body } }));
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    const aborting = new AbortController();
    const late = async (): Promise<Readable> => {
      aborting.abort();
      await Promise.resolve();
      // Says that there is no such file when it has been destroyed.
      return createReadStream("/nonexistent/file");
    };
    const { signal } = aborting;
    const own = { signal, retryBudget: { body: late } };
    const error = await errorOf(instance.put(server.url, Readable.from(["x"]), own));
    expect(error.code).toBe("ERR_CANCELED");
  });

  test.skipIf(axiosMinor < 7)("is a web stream through the fetch adapter", async () => {
    const server = await serve(unavailable, ok);
    const { instance } = fixture({}, { adapter: "fetch" });
    const body = (): ReadableStream => new Blob(["chunk"]).stream();
    await instance.put(server.url, body(), { retryBudget: { body } });
    expect(bodies(server)).toEqual(["chunk", "chunk"]);
  });
});

test.skipIf(axiosMinor < 7)(
  "an object through the fetch adapter is sent again, and the unread stream of the failure is cancelled",
  async () => {
    const server = await serve(status(503, {}, "x".repeat(5_000_000)), ok);
    const { instance } = fixture({}, { adapter: "fetch" });
    const { data } = await instance.put(server.url, { a: 1 }, { responseType: "stream" });
    expect(await new Response(data).text()).toBe('{"fine":true}');
    expect(bodies(server)).toEqual(['{"a":1}', '{"a":1}']);
  },
);
