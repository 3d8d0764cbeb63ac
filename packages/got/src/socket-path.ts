import type { Options } from "got";

/** The path of the socket that got's `unix:` notation puts into the URL: the bytes go there. */
export function socketPath({ url, enableUnixSockets }: Options): string | undefined {
  if (url === undefined) return undefined;
  const { hostname, pathname, search } = url instanceof URL ? url : new URL(url);
  // got 11 has no such option. Without it "unix" is a host like others.
  if (hostname !== "unix" || enableUnixSockets === false) return undefined;
  return /^(.+?):.+/.exec(pathname + search)?.[1];
}
