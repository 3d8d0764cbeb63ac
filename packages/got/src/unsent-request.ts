import { Writable } from "node:stream";

/**
 * Stands where got expects its network request, and never goes out: got's own timer ends it, or the
 * error that it was given. So got makes its own error of it, and shows that to all of its hooks.
 */
export function unsentRequest(error?: unknown): Writable {
  const request = new Writable({
    // got takes the end of a request without an answer for one that the server broke off.
    autoDestroy: false,
    write: (_chunk, _encoding, callback) => callback(),
  });
  // Once got listens: nobody else would take the error.
  if (error !== undefined) {
    request.once("newListener", () => setImmediate(() => request.destroy(asError(error))));
  }
  // For got's `timeout.socket`: there is no socket to time.
  return Object.assign(request, { setTimeout: () => request });
}

/** A stream fails with nothing else. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
