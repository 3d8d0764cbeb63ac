import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** Calls back with the port of each connection that this process tries. Gives the way to stop. */
export function watchConnections(tried: (port: number) => void): () => void {
  const onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.once("connectionAttempt", (_address: string, port: number) => tried(port));
  };
  subscribe("net.client.socket", onSocket);
  return () => {
    unsubscribe("net.client.socket", onSocket);
  };
}
