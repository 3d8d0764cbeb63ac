import type { Options } from "got";

/** Where the bytes go: the URL, or the socket that got's `unix:` notation names in its path. */
export function requestUrl({ url }: Options): string | URL {
  if (url === undefined) return "";
  const { hostname, pathname } = new URL(url);
  if (hostname !== "unix") return url;
  const [socketPath = ""] = pathname.split(":", 1);
  return `unix://${encodeURIComponent(socketPath)}`;
}
