import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "./answer-parent.js";

/** Node's own server, as most of those that are called: it parses what it gets. */
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
});

server.listen(0, "127.0.0.1");
const listening = once(server, "listening");
answerParent(async (_question: "port"): Promise<number> => {
  await listening;
  return (server.address() as AddressInfo).port;
});
