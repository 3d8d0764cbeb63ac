import { nodeMajor, undiciMajor } from "./undici-major.js";

/**
 * Whether the built-in fetch of this Node can call this undici with nothing of ours between them.
 * Up to Node 24 it speaks the legacy handler API, which 8 does not take, and from 26 on the modern
 * one, which 6 does not take.
 */
export const fitsBuiltInFetch: boolean = nodeMajor < 26 ? undiciMajor < 8 : undiciMajor > 6;
