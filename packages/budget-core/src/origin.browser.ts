/** For browsers without the memo: a page sends few requests, and its URLs are mostly relative. */
export function originOf(url: string | URL): string {
  const { origin, protocol, host } = new URL(url, globalThis.location?.href);
  return origin === "null" ? `${protocol}//${host}` : origin;
}
