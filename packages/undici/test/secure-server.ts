import { once } from "node:events";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { generate } from "selfsigned";
import { onTestFinished } from "vitest";

/** How the server answers one request, over HTTP/2 or HTTP/1.1. */
export type SecureReply = (response: Http2ServerResponse, request: Http2ServerRequest) => void;

interface SecureHit {
  readonly version: string;
  readonly method: string;
  readonly body: string;
}

export interface SecureServer {
  readonly url: string;
  /** In PEM: what the client has to trust. */
  readonly certificate: string;
  /** One for each request; with HTTP/2, for each stream. */
  readonly hits: SecureHit[];
  readonly connections: number;
}

/** A TLS server on loopback: one reply after the other, the last one again and again. */
export async function serveSecurely(...replies: SecureReply[]): Promise<SecureServer> {
  const { private: key, cert } = await selfSigned();
  const hits: SecureHit[] = [];
  const sockets = new Set<Socket>();
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("request", async (request, response) => {
    // The servers and the clients of these tests break connections off on purpose.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const body = await text(request);
    hits.push({ version: request.httpVersion, method: request.method, body });
    const [reply] = replies;
    if (replies.length > 1) replies.shift();
    reply?.(response, request);
  });
  server.on("sessionError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    certificate: cert,
    hits,
    get connections() {
      return sockets.size;
    },
  };
}

/** Ends the stream with a code of RFC 9113 §7. */
export function resetStream(code: number): SecureReply {
  return (response) => response.stream.close(code);
}

function selfSigned(): ReturnType<typeof generate> {
  return generate([{ name: "commonName", value: "127.0.0.1" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
}
