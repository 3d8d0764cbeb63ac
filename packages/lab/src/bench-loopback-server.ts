import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { answerParent } from "./answer-parent.js";

/**
 * Answers every request with the same few bytes, and does no more than it must: the slower side sets
 * the pace, and that is to be the client.
 */
const body = '{"ok":true}';
const response = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" +
    `content-length: ${body.length}\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n` +
    `connection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n${body}`,
);

const server = createServer({ noDelay: true }, (socket) => {
  // Without pipelining and bodies, each chunk that ends a head is one request.
  socket.on("data", (chunk) => {
    if (chunk.subarray(-4).toString("latin1") === "\r\n\r\n") socket.write(response);
  });
  socket.on("error", () => socket.destroy());
});

server.listen(0, "127.0.0.1");
const listening = once(server, "listening");
answerParent(async (_question: "port"): Promise<number> => {
  await listening;
  return (server.address() as AddressInfo).port;
});
