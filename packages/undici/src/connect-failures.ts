import { subscribe } from "node:diagnostics_channel";
import { isIP } from "node:net";

interface ConnectFailure {
  readonly error?: unknown;
  readonly connectParams?: { readonly protocol?: string; readonly host?: string };
}

const origins = new WeakMap<object, string>();
let isListening = false;

/**
 * undici tells on a channel where a failed connection was going to; its errors name at best an
 * address. Every copy of it uses this channel, and so does the one in Node.
 */
export function listenToConnectFailures(): void {
  if (isListening) return;
  isListening = true;
  subscribe("undici:client:connectError", (message) => {
    const { error, connectParams: { protocol, host } = {} } = message as ConnectFailure;
    // The first to tell is the innermost: the connection to a proxy, before the tunnel through it.
    if (typeof error !== "object" || error === null || origins.has(error)) return;
    origins.set(error, `${protocol}//${host}`);
  });
}

/** The origin of the proxy that could not be reached, where it was not the request's own origin. */
export function unreachableProxy(error: Error, requested: string | URL): string | undefined {
  const origin = origins.get(error);
  if (origin === undefined || ![origin, String(requested)].every((url) => URL.canParse(url))) {
    return undefined;
  }
  return isElsewhere(new URL(origin), new URL(requested)) ? origin : undefined;
}

// undici's `dns` puts an address in place of the name: the same port there is the same place.
function isElsewhere(connected: URL, requested: URL): boolean {
  if (portOf(connected) !== portOf(requested)) return true;
  const host = connected.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 && host !== requested.hostname;
}

function portOf({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" ? "443" : "80";
}
