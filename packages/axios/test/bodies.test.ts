import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { serve } from "@retry-budget/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { bodies, fixture, ok, unavailable } from "./attached.js";

describe("what is sent again:", () => {
  test.each<[string, unknown]>([
    ["a string", "text"],
    ["a Buffer", Buffer.from("text")],
    ["URLSearchParams", new URLSearchParams({ a: "b" })],
    ["a Blob", new Blob(["text"])],
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
  test("native FormData, with the fields in full and the boundary that its header names", async () => {
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
  });
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
  const upload = new Blob(["x".repeat(5_000_000)]);
  const { status, data } = await instance.put(`http://127.0.0.1:${port}/`, upload);
  expect([requests, status, data]).toEqual([2, 200, "stored 5000000"]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
});
