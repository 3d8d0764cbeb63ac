import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { text } from "node:stream/consumers";
import { generate } from "selfsigned";
import { listen } from "./listen.js";

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
  let connections = 0;
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.on("connection", () => connections++);
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
  return {
    url: `https://127.0.0.1:${await listen(server)}`,
    certificate: cert,
    hits,
    get connections() {
      return connections;
    },
  };
}

/** Ends the stream with a code of RFC 9113 §7. */
export function resetStream(code: number): SecureReply {
  return (response) => response.stream.close(code);
}

/** For 127.0.0.1. */
export function selfSigned(): ReturnType<typeof generate> {
  return generate([{ name: "commonName", value: "127.0.0.1" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
}
