import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "vite";

export const root: string = fileURLToPath(new URL("..", import.meta.url));
const entry = "browser-bundle-entry";

/** The packages are bundled as they are published: from `dist`. */
export async function compile(): Promise<void> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-b", join(root, "packages/axios")]);
}

/** What vite makes of this source for a page, with everything but axios in it. */
export async function bundle(source: string): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? join(root, entry) : undefined),
        load: (id) => (id === join(root, entry) ? source : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      target: "es2022",
      rollupOptions: {
        input: entry,
        preserveEntrySignatures: "strict",
        external: ["axios"],
        output: { format: "es" },
      },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !("output" in output)) throw new Error("vite gave no bundle");
  return output.output[0].code;
}

/** The exports of a bundle, loaded into this process; from a place that finds axios. */
export async function load(code: string): Promise<unknown> {
  const folder = await mkdtemp(join(root, "node_modules/.browser-bundle-"));
  try {
    const file = join(folder, "bundle.mjs");
    await writeFile(file, code);
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
