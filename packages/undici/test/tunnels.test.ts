import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { errorOf, listen, serve, status } from "@retry-budget/testkit";
import { Agent, type Dispatcher, WebSocket } from "undici";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { budgeted } from "./budgeted.js";
import { serveProxy } from "./serve-proxy.js";

const head = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n";

test("an upgrade gives the caller its socket, and earns and costs nothing", async () => {
  const server = createServer();
  server.on("upgrade", (_, socket) => {
    socket.write(head);
    socket.pipe(socket);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const { dispatcher, policy } = budgeted(new Agent());
  const options = { path: "/", protocol: "echo", origin } as Dispatcher.UpgradeOptions;
  const { headers, socket } = await dispatcher.upgrade(options);
  expect(headers).toMatchObject({ upgrade: "echo" });
  socket.end("there and back");
  expect(await text(socket)).toBe("there and back");
  expect(policy.snapshot()).toEqual([]);
});

test("an upgrade that is answered with 503 is asked for once", async () => {
  const server = await serve(status(503));
  const { dispatcher, policy } = budgeted(new Agent());
  const options = { path: "/", protocol: "echo", origin: server.url } as Dispatcher.UpgradeOptions;
  expect(await errorOf(dispatcher.upgrade(options))).toMatchObject({ message: "bad upgrade" });
  expect([server.hits.length, policy.snapshot()]).toEqual([1, []]);
});

test("CONNECT gives the caller its tunnel, and earns and costs nothing", async () => {
  const [server, proxy] = await Promise.all([serve(status(200)), serveProxy()]);
  const { dispatcher, policy } = budgeted(new Agent());
  const path = new URL(server.url).host;
  const { statusCode, socket } = await dispatcher.connect({ origin: proxy.url, path } as never);
  expect([statusCode, proxy.asked]).toEqual([200, [path]]);
  socket.write(`GET / HTTP/1.1\r\nhost: ${path}\r\nconnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK.*answer 200/s);
  expect(policy.snapshot()).toEqual([]);
});

test("a CONNECT that is answered with 503 is asked for once, and is the caller's", async () => {
  const proxy = await serveProxy((socket) => {
    socket.end("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n");
  });
  const { dispatcher, policy } = budgeted(new Agent());
  const options = { origin: proxy.url, path: "a.example:80" } as never;
  const { statusCode, socket } = await dispatcher.connect(options);
  socket.destroy();
  expect([statusCode, proxy.asked.length, policy.snapshot()]).toEqual([503, 1, []]);
});

test("a WebSocket sends and receives through the dispatcher, and earns and costs nothing", async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    socket.on("message", (message) => socket.send(`echo of ${message}`));
  });
  const url = `ws://127.0.0.1:${await listen(server)}`;
  const { dispatcher, policy } = budgeted(new Agent());
  const socket = new WebSocket(url, { dispatcher });
  await once(socket as never, "open");
  socket.send("this");
  const [message] = await once(socket as never, "message");
  expect(message).toMatchObject({ data: "echo of this" });
  socket.close();
  await once(socket as never, "close");
  expect(policy.snapshot()).toEqual([]);
});

test("a WebSocket that is answered with 503 is asked for once", async () => {
  const server = await serve(status(503));
  const { dispatcher, policy } = budgeted(new Agent());
  const socket = new WebSocket(server.url.replace("http", "ws"), { dispatcher });
  await once(socket as never, "error");
  expect([server.hits.length, policy.snapshot()]).toEqual([1, []]);
});
