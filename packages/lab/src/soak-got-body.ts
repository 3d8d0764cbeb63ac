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

/** Each of the ways in turn in which got takes a body. */
export function gotBody(index: number): GotOptions {
  return bodies[index % bodies.length]?.() ?? {};
}
