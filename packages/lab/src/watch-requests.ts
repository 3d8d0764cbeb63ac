import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

interface Watcher {
  /** A request is handed to Node or to undici. */
  created?(origin: string): void;
  /** The server has it: a 103 has come. Told by node:http only. */
  informed?(name: string): void;
  /** It is being written to a connection. Told by undici only. */
  written?(name: string): void;
}

const header = "x-soak";

/** Watches all requests of this process from below any client. Gives the way to stop. */
export function watchRequests(watcher: Watcher): () => void {
  const onNode = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    watcher.created?.(`${request.protocol}//${request.getHeader("host")}`);
    request.on("information", () => watcher.informed?.(String(request.getHeader(header))));
  };
  const onUndici = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly origin: unknown } };
    watcher.created?.(String(request.origin));
  };
  const onHeaders = (message: unknown): void => {
    const { headers } = message as { readonly headers: string };
    watcher.written?.(/^x-soak: (.*)$/m.exec(headers)?.[1] ?? "");
  };
  const listeners = [
    ["http.client.request.start", onNode],
    ["undici:request:create", onUndici],
    ["undici:client:sendHeaders", onHeaders],
  ] as const;
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener);
  };
}
