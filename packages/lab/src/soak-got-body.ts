import { Readable } from "node:stream";
import type { GotOptions } from "./soak-got-flavours.js";

export const smallText = "a small text";

const bodies: readonly (() => GotOptions)[] = [
  // A promise sends none; a stream is written by its caller.
  () => ({}),
  () => ({ body: smallText }),
  () => ({ json: { a: "small object" } }),
  () => ({ body: Buffer.from(smallText) }),
  () => ({ form: { a: "small form" } }),
  () => ({ body: new TextEncoder().encode(smallText) }),
  // It cannot be sent again.
  () => ({ body: Readable.from([smallText]) }),
];

/**
 * Each of the ways in turn in which got takes a body. Where the connection is refused, nothing is
 * left for a stream's caller to write: on newer releases of Node got tells such a one of an error of
 * the socket's as well, before it retries (sindresorhus/got#2469).
 */
export function gotBody(index: number, isRefused: boolean): GotOptions {
  const way = index % bodies.length;
  return bodies[way === 0 && isRefused ? 1 : way]?.() ?? {};
}
