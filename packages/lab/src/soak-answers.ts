import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./soak-faults.js";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const large = Buffer.alloc(2 ** 20, "x");
const hints = { link: "</style.css>; rel=preload" };

/** What each fault looks like from the server. */
export const answers: Readonly<Record<Fault, Answer>> = {
  none: (response) => response.end("done"),
  "early-hints": (response) => response.writeEarlyHints(hints, () => response.end("done")),
  unavailable: (response) => response.writeHead(503).end("later"),
  "unavailable-large": (response) => response.writeHead(503).end(large),
  "unavailable-drip": (response) => drip(response.writeHead(503), 20, 10),
  drip: (response) => drip(response, 5, 2),
  reset: (_, { socket }) => socket.resetAndDestroy(),
  truncated: (response, { socket }) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("abc", () => socket.destroy());
  },
  hang: () => undefined,
  announced: (response) => {
    const announce = (): void => {
      // Longer than any caller waits with its abort: a timer that is left behind is seen.
      response.writeHead(503, { "retry-after": "30" }).end("later");
    };
    response.writeEarlyHints(hints, () => setTimeout(announce, 5));
  },
};

function drip(response: ServerResponse, chunks: number, every: number): void {
  let left = chunks;
  const timer = setInterval(() => {
    if (left-- > 0) response.write("drop");
    else response.end();
  }, every);
  response.on("close", () => clearInterval(timer));
}
