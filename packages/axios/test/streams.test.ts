import { Agent } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { serve, status } from "@retry-budget/testkit";
import { expect, onTestFinished, test } from "vitest";
import { errorOf, fixture, ok, unavailable } from "./attached.js";

test("an unread 5 MB stream of a failed attempt is let go: no deadlock with maxSockets: 1", async () => {
  const server = await serve(status(503, {}, "x".repeat(5_000_000)), ok);
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance } = fixture({}, { httpAgent });
  const { data } = await instance.get(server.url, { responseType: "stream" });
  expect(await text(data)).toBe('{"fine":true}');
});

test("an unread stream is let go of also under maxContentLength: no deadlock with maxSockets: 1", async () => {
  const server = await serve(status(503, {}, "x".repeat(5_000_000)), ok);
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  const { instance } = fixture({}, { httpAgent, maxContentLength: 1e8 });
  const { data } = await instance.get(server.url, { responseType: "stream" });
  expect(await text(data)).toBe('{"fine":true}');
});

test("the last failure's stream is the caller's, unread", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture();
  const error = await errorOf(instance.get(server.url, { responseType: "stream" }));
  expect(await text(error.response?.data as Readable)).toBe("answer 503");
});
