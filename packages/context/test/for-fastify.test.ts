import { once } from "node:events";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { createGunzip, gzipSync } from "node:zlib";
import { createIncoming, forFastify } from "@retry-budget/context";
import Fastify, { type FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { faceCases, type Start } from "./face-cases.js";
import { known, retried } from "./fixture.js";

const listening = async (app: FastifyInstance): Promise<number> => {
  onTestFinished(() => app.close());
  return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
};

const start: Start = (incoming, work) => {
  const app = Fastify({ forceCloseConnections: true });
  if (incoming !== undefined) app.register(forFastify(incoming));
  app.all("/", ({ body }) => work(body));
  return listening(app);
};

faceCases(start);

test("routes of other plugins are inside as well, and of a request that is injected", async () => {
  const app = Fastify();
  await app.register(forFastify(createIncoming()));
  await app.register((inner, _, done) => {
    inner.get("/inner", async () => known());
    done();
  });
  const response = await app.inject({ url: "/inner", headers: retried });
  expect(response.json()).toEqual({ inside: true, attempt: 2, isRetried: true });
});

test("a handler is inside whose body another hook has unpacked", async () => {
  const app = Fastify({ forceCloseConnections: true });
  app.register(forFastify(createIncoming()));
  app.addHook("preParsing", async (_request, _reply, payload) => payload.pipe(createGunzip()));
  app.post("/", async ({ body }) => ({ body, ...known() }));
  const port = await listening(app);
  const headers = { ...retried, "content-type": "application/json" };
  const sent = request({ port, method: "POST", headers });
  sent.flushHeaders();
  setTimeout(() => sent.end(gzipSync('{"a":1}')), 20);
  const [response] = await once(sent, "response");
  expect(await json(response)).toMatchObject({ body: { a: 1 }, inside: true, attempt: 2 });
});
