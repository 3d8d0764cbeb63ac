import type { Dispatcher } from "undici";
import type { Undici } from "./bench-interceptors.js";

export type RequestKind = "GET" | "PUT";

export const requestKinds: readonly RequestKind[] = ["GET", "PUT"];

/**
 * The options that undici's own `request()` hands down, in the shape in which it makes them: how
 * many there are decides what it costs to copy them. A few origins, as an application has.
 */
export function capturedRequests(
  { request }: Undici,
  kind: RequestKind,
): readonly Dispatcher.DispatchOptions[] {
  const captured: Dispatcher.DispatchOptions[] = [];
  const dispatch = (options: Dispatcher.DispatchOptions): boolean => captured.push(options) > 0;
  const dispatcher = { dispatch } as unknown as Dispatcher;
  for (let index = 0; index < 64; index++) {
    const url = `http://host-${index % 8}.example/items/${index}`;
    // Nobody answers it.
    void request(url, { ...own(kind), dispatcher });
  }
  return captured;
}

function own(kind: RequestKind): Partial<Dispatcher.RequestOptions> {
  const headers = { accept: "application/json", "user-agent": "bench" };
  if (kind === "GET") return { headers };
  return {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"ok":true}',
    signal: new AbortController().signal,
    headersTimeout: 5000,
    bodyTimeout: 5000,
  };
}
