import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = fileURLToPath(new URL("..", import.meta.url));

/** A child runs what is in dist; this is quick where nothing has changed. */
export async function buildForChildren(): Promise<void> {
  const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
  await run(process.execPath, [tsc, "-b"], { cwd: folder });
}

/** Runs a module in a Node of its own, in which nobody has loaded undici; gives what it prints. */
export async function inChild(source: string): Promise<unknown> {
  const args = ["--input-type=module", "--eval", source];
  const { stdout } = await run(process.execPath, args, { cwd: folder, timeout: 20_000 });
  return JSON.parse(stdout);
}

/**
 * Where the undici is that these tests import. Not by its name, in the place of which the matrix
 * puts another; the caller has to have imported it.
 */
export function undiciUrl(): string {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  const path = loaded.find((name) => /[\\/]undici[^\\/]*[\\/]index\.js$/.test(name));
  return pathToFileURL(path ?? "").href;
}
