import { once } from "node:events";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { selfSigned, until } from "@retry-budget/testkit";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { budgeted } from "./budgeted.js";

/** Answers each stream at once, and tells how much of its request came with a proper end. */
async function serveStreams(
  answer: (stream: ServerHttp2Stream, number: number) => void,
): Promise<{ url: string; received: number[] }> {
  const { private: key, cert } = await selfSigned();
  const server = createSecureServer({ key, cert });
  const received: number[] = [];
  const sockets = new Set<Socket>();
  let streams = 0;
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("sessionError", () => undefined);
  server.on("stream", async (stream) => {
    stream.on("error", () => undefined);
    answer(stream, ++streams);
    const body = await buffer(stream).catch(() => undefined);
    if (body !== undefined) received.push(body.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function* pieces(): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < 12; piece++) {
    yield Buffer.alloc(1000, piece);
    await setTimeout(5);
  }
}

const agent = (): Agent => new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });

test("an upload under a failed response that is complete does not end too early, as if it were whole", async () => {
  const { url, received } = await serveStreams((stream, number) => {
    stream.respond({ ":status": number === 1 ? 503 : 200 });
    stream.end("busy");
  });
  const { dispatcher, policy } = budgeted(agent());
  const result = await request(url, { dispatcher, method: "PUT", body: pieces() as never });
  await result.body.dump();
  expect(result.statusCode).toBe(200);
  await until(() => received.length === 2);
  expect(received).toEqual([12_000, 12_000]);
  expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 1 }]);
});

test("an upload whose retry is answered before it was sent again comes whole", async () => {
  const { url, received } = await serveStreams((stream, number) => {
    const answer = (): void => {
      stream.respond({ ":status": number === 1 ? 503 : 200 });
      stream.end("answer");
    };
    // The first only when it has come whole: all of it is recorded by then.
    if (number === 1) stream.on("end", answer);
    else answer();
  });
  const { dispatcher } = budgeted(agent());
  const result = await request(url, { dispatcher, method: "PUT", body: pieces() as never });
  await result.body.dump();
  expect(result.statusCode).toBe(200);
  await until(() => received.length === 2);
  expect(received).toEqual([12_000, 12_000]);
});
