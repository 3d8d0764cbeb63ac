/** For browsers without the memo: a page sends few requests, and its URLs are mostly relative. */
export function originOf(url: string | URL): string {
  // A worker has no document.
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  const { origin, protocol, host } = new URL(url, page);
  return origin === "null" ? `${protocol}//${host}` : origin;
}
