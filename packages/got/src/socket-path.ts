import type { Options } from "got";

/** The path of the socket that got's `unix:` notation puts into the URL: the bytes go there. */
export function socketPath({ url }: Options): string | undefined {
  if (url === undefined) return undefined;
  const { hostname, pathname } = new URL(url);
  return hostname === "unix" ? pathname.split(":", 1)[0] : undefined;
}
