import type { Adapter, Config } from "./axios-instance.js";

const defaultAdapter: Adapter = ["xhr", "http", "fetch"];

/**
 * Whether it is told of redirects before they are followed: axios' adapter for node:http alone does
 * that, and only with a transport of its own.
 * @param adapter the function that sends, or the names of which axios takes the first it can
 */
export function seesRedirects(adapter: Adapter, { transport }: Config): boolean {
  if (transport) return false;
  if (typeof adapter === "function") return isHttpAdapter(adapter);
  const names = [adapter || defaultAdapter].flat().map((name) => String(name).toLowerCase());
  return names.find((name) => name !== "xhr" || "XMLHttpRequest" in globalThis) === "http";
}

function isHttpAdapter(adapter: {
  readonly name?: string;
  readonly adapterName?: string;
}): boolean {
  // Before 1.2 axios gave no names to its adapters.
  return (adapter.adapterName ?? adapter.name) === "http" || adapter.name === "httpAdapter";
}
