import { type EventEmitter, once } from "node:events";
import { request as nodeRequest, type RequestListener } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createIncoming,
  forNode,
  type IncomingOptions,
  type NodeRequest,
  type NodeResponse,
} from "@retry-budget/context";
import { outerCall } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import { hang, listen, until } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { ask, backend, known, listening, oneSocket, retried } from "./fixture.js";

const served = (listener: RequestListener, options?: IncomingOptions) =>
  listening(forNode(createIncoming(options), listener));

const tellKnown: RequestListener = (_, response) => response.end(JSON.stringify(known()));

test("a handler is inside what its request says, and nowhere without marks", async () => {
  const port = await served(tellKnown);
  expect((await ask(port)).answer).toEqual({ inside: false });
  expect((await ask(port, { headers: retried })).answer).toEqual({
    inside: true,
    attempt: 2,
    isRetried: true,
  });
  expect((await ask(port, { headers: { "retry-budget-deadline": "900" } })).answer).toEqual({
    inside: true,
    attempt: 1,
    isRetried: false,
    hasDeadline: true,
  });
});

test("listeners for a body that comes later are inside as well", async () => {
  const port = await served((request, response) => {
    request.on("data", () => undefined);
    request.on("end", () => response.end(JSON.stringify(known())));
  });
  const { answer } = await ask(port, { headers: retried, body: { a: 1 } });
  expect(answer).toMatchObject({ inside: true, attempt: 2 });
});

test("a body is read as ever", async () => {
  const port = await served(async (request, response) => {
    const body = await json(request);
    response.end(JSON.stringify({ body, ...known() }));
  });
  const { answer } = await ask(port, { headers: retried, body: { a: 1 } });
  expect(answer).toMatchObject({ body: { a: 1 }, inside: true });
});

test("a client inside stands down where the caller retries, and retries where it does not", async () => {
  const { server, get } = await backend();
  const port = await served(async (_, response) => response.end(JSON.stringify(await get())));
  expect((await ask(port, { headers: retried })).answer).toEqual({ answer: 503, refusal: "layer" });
  expect(server.hits.length).toBe(1);
  expect((await ask(port)).answer).toEqual({ answer: 503, refusal: "attempts" });
  expect(server.hits.length).toBe(1 + 3);
});

test("a client inside has no more time than the caller", async () => {
  const { get } = await backend({ deadline: 60_000 }, hang);
  const port = await served(async (_, response) => response.end(JSON.stringify(await get())));
  const headers = { "retry-budget-deadline": "50" };
  expect((await ask(port, { headers })).answer).toEqual({
    answer: "TimeoutError",
    refusal: "deadline",
  });
});

test("nothing is sent once the caller's time is up", async () => {
  const { server, get } = await backend();
  const port = await served(async (_, response) => response.end(JSON.stringify(await get())));
  const headers = { "retry-budget-deadline": "0" };
  expect((await ask(port, { headers })).answer).toMatchObject({ refusal: "deadline" });
  expect(server.hits.length).toBe(0);
});

test("the server's own deadline holds for every request, and a caller cannot lengthen it", async () => {
  const port = await served(
    (_, response) => response.end(JSON.stringify(outerCall()?.remaining())),
    { deadline: 1000 },
  );
  for (const headers of [{}, { "retry-budget-deadline": "900000" }]) {
    const { answer } = await ask(port, { headers });
    expect(answer).toBeGreaterThan(0);
    expect(answer).toBeLessThanOrEqual(1000);
  }
});

test("requests that are handled at the same time never see each other's marks", async () => {
  const waiting: (() => void)[] = [];
  const port = await served(async (_, response) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await sleep(1);
    response.end(JSON.stringify(known()));
  });
  const attempts = [1, 2, 3, 4, 5, 6, 7, 8];
  const answers = attempts.map((attempt) =>
    ask(port, attempt === 1 ? {} : { headers: { "retry-budget-attempt": String(attempt) } }),
  );
  await until(() => waiting.length === attempts.length);
  for (const go of waiting.reverse()) go();
  expect((await Promise.all(answers)).map(({ answer }) => answer)).toEqual(
    attempts.map((attempt) =>
      attempt === 1 ? { inside: false } : { inside: true, attempt, isRetried: true },
    ),
  );
});

test("a connection that is kept alive takes no marks to its next request", async () => {
  const ports = new Set<number | undefined>();
  const port = await served((request, response) => {
    ports.add(request.socket.remotePort);
    tellKnown(request, response);
  });
  const agent = oneSocket();
  expect((await ask(port, { agent, headers: retried })).answer).toMatchObject({ attempt: 2 });
  expect((await ask(port, { agent })).answer).toEqual({ inside: false });
  expect((await ask(port, { agent, body: {} })).answer).toEqual({ inside: false });
  agent.destroy();
  expect(ports.size).toBe(1);
});

test("what goes on after the response has been sent is on its own", async () => {
  const { server, get } = await backend();
  let background: unknown;
  const port = await served(async (_, response) => {
    response.end("{}");
    await once(response, "close");
    background = await get();
  });
  await ask(port, { headers: { ...retried, "retry-budget-deadline": "1000" } });
  await until(() => background !== undefined);
  expect([background, server.hits.length]).toEqual([{ answer: 503, refusal: "attempts" }, 3]);
});

test("what goes on for a caller that has gone still keeps to its deadline and does not retry", async () => {
  const { server, get } = await backend();
  const clock = createManualClock();
  const late: unknown[] = [];
  let began = false;
  const listener: RequestListener = async (_, response) => {
    began = true;
    await once(response, "close");
    late.push(await get());
    clock.advance(30_000);
    late.push(await get());
  };
  const port = await served(listener, { clock });
  const headers = { ...retried, "retry-budget-deadline": "30000" };
  const sent = nodeRequest({ port, headers }).on("error", () => undefined);
  sent.end();
  await until(() => began);
  sent.destroy();
  await until(() => late.length === 2);
  expect(late).toMatchObject([{ answer: 503, refusal: "layer" }, { refusal: "deadline" }]);
  expect(server.hits.length).toBe(1);
});

test("what goes on for a caller that has gone is on its own after a minute", async () => {
  const clock = createManualClock();
  const incoming = createIncoming({ clock });
  const states: unknown[] = [];
  const port = await listening(
    forNode(incoming, async (_, response) => {
      states.push(known());
      await once(response, "close");
      states.push(known());
      clock.advance(60_000);
      states.push(known());
    }),
  );
  const sent = nodeRequest({ port, headers: retried }).on("error", () => undefined);
  sent.end();
  await until(() => states.length === 1);
  sent.destroy();
  await until(() => states.length === 3);
  expect(states).toMatchObject([{ inside: true }, { inside: true }, { inside: false }]);
});

test("a handler that throws or rejects does so as without us", async () => {
  const incoming = createIncoming();
  const failure = new Error("the handler's");
  const fake = { headers: retried, emit: () => true, once: () => undefined, writableEnded: false };
  expect(() =>
    forNode<NodeRequest, NodeResponse>(incoming, () => {
      throw failure;
    })(fake, fake),
  ).toThrow(failure);
  const rejects = (): Promise<never> => Promise.reject(failure);
  const face = forNode<NodeRequest, NodeResponse>(incoming, rejects);
  await expect(face(fake, fake)).rejects.toBe(failure);
});

test("a server of HTTP/2 is served as well", async () => {
  const incoming = createIncoming();
  const port = await listen(
    createHttp2Server(
      forNode(incoming, (request, response) => {
        request.on("data", () => undefined);
        request.on("end", () => response.end(JSON.stringify(known())));
      }),
    ),
  );
  const session = connect(`http://127.0.0.1:${port}`);
  const post = async (headers: Record<string, string>) => {
    const stream = session.request({ ":method": "POST", ...headers });
    await sleep(20);
    stream.end("{}");
    return json(stream);
  };
  expect(await post(retried)).toMatchObject({ inside: true, attempt: 2 });
  expect(await post({})).toEqual({ inside: false });
  session.close();
});

test("over HTTP/2 as well what goes on for a caller that has gone does not retry", async () => {
  const { server, get } = await backend();
  let began = false;
  let late: unknown;
  const port = await listen(
    createHttp2Server(
      forNode(createIncoming(), async (_, response) => {
        began = true;
        await once(response, "close");
        late = await get();
      }),
    ),
  );
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request(retried);
  await until(() => began);
  stream.close();
  await until(() => late !== undefined);
  expect(late).toEqual({ answer: 503, refusal: "layer" });
  expect(server.hits.length).toBe(1);
  session.close();
});

test("a caller that had gone before we saw its request is forgotten after a minute as well", async () => {
  const clock = createManualClock();
  const face = forNode<NodeRequest, NodeResponse>(createIncoming({ clock }), () => {
    states.push(known());
    clock.advance(60_000);
    states.push(known());
  });
  const states: unknown[] = [];
  let began = 0;
  const late = async (request: NodeRequest, response: NodeResponse & EventEmitter) => {
    began++;
    await once(response, "close");
    face(request, response);
  };
  const port = await listening(late);
  const sent = nodeRequest({ port, headers: retried }).on("error", () => undefined);
  sent.end();
  await until(() => began === 1);
  sent.destroy();
  const session = connect(`http://127.0.0.1:${await listen(createHttp2Server(late))}`);
  const stream = session.request(retried);
  await until(() => began === 2);
  stream.close();
  await until(() => states.length === 4);
  expect(states).toMatchObject([true, false, true, false].map((inside) => ({ inside })));
  session.close();
});
