import { spawnSync } from "node:child_process";
import { areCopiesInstalled, matrixFolder } from "./matrix-copies.js";

/** What keeps the matrix from running here, if anything. Installs the copies where they are missing. */
export function installMatrix(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `The matrix needs Linux on x64, for which its Node binaries are; this is ${process.platform} on ${process.arch}.`;
  }
  if (areCopiesInstalled()) return undefined;
  const npm = ["ci", "--prefix", matrixFolder, "--no-audit", "--no-fund"];
  // Its words go to stderr, so that stdout is data.
  const { status } = spawnSync("npm", npm, { stdio: ["ignore", 2, 2] });
  if (status === 0 && areCopiesInstalled()) return undefined;
  return `The matrix could not be installed: npm ${npm.join(" ")}`;
}
