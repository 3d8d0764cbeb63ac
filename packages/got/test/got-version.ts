// As `got-14.6`: the matrix puts each in the place of the installed one.
const [major = "", minor = ""] = (process.env["RETRY_BUDGET_CLIENT"] ?? "got-14.6")
  .replace("got-", "")
  .split(".");

export const gotMajor: number = Number(major);

/** Of the fault that was mended in 14.6.0 (#1500, #2073): a fresh stream body is waited for, for ever. */
export const hangsOnFreshStream: boolean =
  gotMajor === 12 || gotMajor === 13 || (gotMajor === 14 && Number(minor) < 6);

const [node = 0, nodeMinor = 0] = process.versions.node.split(".").map(Number);

/**
 * got #2469, mended in 16.0.0: on Node 24.20 and later a refused connection is told to the caller
 * while its retry waits, as a plain error that no hook sees; got before 14.6 then ends the process.
 */
export const failsTwiceWhenRefused: boolean =
  gotMajor < 16 && (node > 24 || (node === 24 && nodeMinor >= 20));

/** From got 15 on, a body that breaks off has an error code that is in none of got's lists. */
export const failsOfTruncated: boolean = gotMajor >= 15;
