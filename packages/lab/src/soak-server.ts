import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { answerParent } from "./answer-parent.js";
import { answers } from "./soak-answers.js";
import { type Fault, faults } from "./soak-faults.js";

export interface SoakCounts {
  readonly port: number;
  /** A port that refuses every connection. */
  readonly refusingPort: number;
  /** Requests whose headers have come. */
  readonly received: number;
  /** Calls that at least one of them belonged to. */
  readonly originals: number;
  /** Requests that must not be sent twice, and were. */
  readonly repeatedPosts: number;
  /** How often each fault was met. */
  readonly faults: Readonly<Record<Fault, number>>;
  /** Connections that are open, the holder's aside. */
  readonly connections: number;
}

/** By call, the requests received. */
const attempts = new Map<number, number>();
const met = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>;
let received = 0;
let repeatedPosts = 0;

const server = createServer((request, response) => {
  const [index, ...planned] = String(request.headers["x-soak"]).split(" ");
  const attempt = attempts.get(Number(index)) ?? 0;
  attempts.set(Number(index), attempt + 1);
  received++;
  if (request.method === "POST" && attempt > 0) repeatedPosts++;
  const fault = (planned[attempt] ?? "none") as Fault;
  met[fault]++;
  // The clients break connections off on purpose.
  request.on("error", () => undefined);
  // After the body: what is closed with something unread is reset, and answers on the way are lost.
  request.resume().on("end", () => answers[fault](response, request));
});
// A connection is closed by a fault or by the client, never by the server on its own: the client
// might just then have sent a request on it, which nobody would ever count here.
server.keepAliveTimeout = 0;
server.headersTimeout = 0;
server.requestTimeout = 0;

const ports = listen();
answerParent(async (_question: "counts"): Promise<SoakCounts> => {
  const { port, refusingPort } = await ports;
  const connections = await new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count - 1)));
  });
  const originals = attempts.size;
  return { port, refusingPort, received, originals, repeatedPosts, faults: met, connections };
});

/**
 * A port that is merely closed may be given to anyone, even to the client that connects to it and
 * then talks to itself. This one is bound by the near end of a connection, and nobody listens there.
 */
async function listen(): Promise<{ port: number; refusingPort: number }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const holder = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.1" });
  await Promise.all([once(holder, "connect"), once(server, "connection")]);
  return { port, refusingPort: (holder.address() as AddressInfo).port };
}
