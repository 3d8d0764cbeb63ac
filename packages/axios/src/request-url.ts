import type { Config } from "./axios-instance.js";

// axios' own rule: a scheme is not needed, two slashes are.
const absolute = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;

/** A URL of the origin that the request goes to. */
export function requestUrl({ url = "", baseURL, allowAbsoluteUrls }: Config): string {
  if (!baseURL || (absolute.test(url) && allowAbsoluteUrls !== false)) return url;
  return baseURL;
}
