import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

interface Watcher {
  /** A request is handed to Node or to undici. */
  created(origin: string): void;
  /** The server has it: a 103 has come. Told by node:http only. */
  informed(request: ClientRequest): void;
}

/** Watches all requests of this process from below any client. Gives the way to stop. */
export function watchRequests(watcher: Watcher): () => void {
  const onNode = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    watcher.created(`${request.protocol}//${request.getHeader("host")}`);
    request.on("information", () => watcher.informed(request));
  };
  const onUndici = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly origin: unknown } };
    watcher.created(String(request.origin));
  };
  subscribe("http.client.request.start", onNode);
  subscribe("undici:request:create", onUndici);
  return () => {
    unsubscribe("http.client.request.start", onNode);
    unsubscribe("undici:request:create", onUndici);
  };
}
