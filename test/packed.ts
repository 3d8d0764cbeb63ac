import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** A user's project, in a folder of its own. */
export interface Project {
  readonly folder: string;
  /** Writes a file of it. */
  write(file: string, text: string): Promise<void>;
  /** Runs Node there. */
  node(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  remove(): Promise<void>;
}

/** A project that has installed these packages as they would be published, and these clients. */
export async function installPacked(packages: string[], clients: string[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "retry-budget-"));
  for (const name of packages) {
    await run("npm", ["pack", "--pack-destination", folder], { cwd: join(root, "packages", name) });
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const tarballs = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  if (tarballs.length !== packages.length) throw new Error(`npm packed ${tarballs}`);
  const files = tarballs.map((file) => `./${file}`);
  const install = ["install", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", [...install, ...files, ...clients], { cwd: folder });
  return {
    folder,
    write: (file, text) => writeFile(join(folder, file), text),
    node: (...args) => run(process.execPath, args, { cwd: folder }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
