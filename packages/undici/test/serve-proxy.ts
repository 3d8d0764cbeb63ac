import { createServer, request as forward, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listen } from "@retry-budget/testkit";

export interface Proxy {
  readonly url: string;
  /** What it was asked for: the host of a tunnel, or the URL of a request to forward. */
  readonly asked: string[];
}

/** Answers a CONNECT; by default with a tunnel. */
export type AnswerConnect = (socket: Duplex, request: IncomingMessage) => void;

/** An HTTP proxy on loopback. */
export async function serveProxy(answer: AnswerConnect = tunnel): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { url = "", method, headers } = request;
    asked.push(url);
    const onward = forward(url, { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 0, answered.rawHeaders);
      answered.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.on("error", () => undefined);
    answer(socket, request);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

function tunnel(socket: Duplex, { url }: IncomingMessage): void {
  const { hostname, port } = new URL(`http://${url}`);
  const onward = connect(Number(port), hostname, () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.destroy());
  socket.on("close", () => onward.destroy());
}
