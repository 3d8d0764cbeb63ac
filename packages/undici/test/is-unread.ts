import { nodeMajor, undiciMajor } from "./undici-major.js";

/** Whether the built-in fetch of this Node reads a symbol that this undici does not know. */
export const isUnread: boolean = undiciMajor === 6 && nodeMajor >= 26;
