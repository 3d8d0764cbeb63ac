import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "./listen.js";

/**
 * A URL on loopback that refuses every connection until the test ends. A port that is merely closed
 * may be given to anyone, even to the client that connects to it and then talks to itself. This one
 * is bound by the near end of a connection, and nobody listens there.
 */
export async function refusingUrl(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  const holder = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.1" });
  onTestFinished(() => void holder.destroy());
  await Promise.all([once(holder, "connect"), once(server, "connection")]);
  return `http://127.0.0.1:${(holder.address() as AddressInfo).port}`;
}
