import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One request as the server received it. */
export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** On the monotonic clock, in ms. */
  readonly at: number;
}

/** How the server answers one request. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on loopback that answers as told: one reply after the other, the last one again and again. */
export class FlakyServer {
  readonly hits: Hit[] = [];
  readonly #server: Server;
  #replies: Reply[];

  private constructor(replies: Reply[]) {
    this.#replies = replies;
    this.#server = createServer((request, response) => {
      // The clients break connections off on purpose.
      request.on("error", () => undefined);
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(...replies: Reply[]): Promise<FlakyServer> {
    const flaky = new FlakyServer(replies);
    flaky.#server.listen(0, "127.0.0.1");
    await once(flaky.#server, "listening");
    return flaky;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when that many requests have come. */
  async received(count: number): Promise<void> {
    while (this.hits.length < count) await once(this.#server, "hit");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const at = performance.now();
    const body = await buffer(request);
    this.hits.push({ method, url, headers, body, at });
    this.#server.emit("hit");
    const [reply = hang()] = this.#replies;
    if (this.#replies.length > 1) this.#replies = this.#replies.slice(1);
    reply(response, request);
  }
}

/** Answers with a status, and with a body by which the answer can be told from another. */
export function status(
  code: number,
  headers: Record<string, string> = {},
  body = `answer ${code}`,
): Reply {
  return (response) => {
    response.writeHead(code, headers).end(body);
  };
}

/** Never answers. */
export function hang(): Reply {
  return () => undefined;
}

/** Reads the request, then closes the connection. */
export function reset(): Reply {
  return (_, request) => {
    request.socket.resetAndDestroy();
  };
}

/** Promises ten bytes and breaks off after three. */
export function truncate(): Reply {
  return (response, request) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("abc", () => request.socket.destroy());
  };
}
