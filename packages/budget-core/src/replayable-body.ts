/**
 * Whether this body can be sent a second time in full. An allow-list: streams, generators and
 * whatever else is not known here are consumed by being sent.
 */
export function isReplayableBody(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === "string") return true;
  if (typeof body !== "object") return false;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return true;
  return isWebBody(body);
}

/** Whether this is a stream of Node's, or behaves like one: sending consumes it. */
export function isStreamBody(body: unknown): boolean {
  return typeof body === "object" && body !== null && "pipe" in body;
}

// By tag and not by class: clients bring copies of these classes that are not the global ones. The
// `form-data` package wears the same tag, but is a stream.
const webBody = /^(?:URLSearchParams|Blob|File|FormData)$/;

function isWebBody(body: object): boolean {
  const { [Symbol.toStringTag]: tag } = body as { [Symbol.toStringTag]?: unknown };
  return typeof tag === "string" && webBody.test(tag) && !isStreamBody(body);
}
