/** A browser has no diagnostics channels. */
export const channels: Readonly<Record<string, undefined>> = {};
