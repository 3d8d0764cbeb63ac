import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "semver";
import { repository } from "./repository.js";

export const matrixFolder: string = join(repository, "test/matrix");

/** One version of Node or of a client, in a folder of its own in test/matrix. */
export interface Copy {
  /** As `undici-8` or `axios-1.7`. */
  readonly name: string;
  readonly folder: string;
  readonly version: string;
  /** The range of Node versions that it says it needs. */
  readonly needsNode: string;
}

/** Where its place among the others does not matter. */
const notInstalled = "0.0.0";

interface Manifest {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Record<string, string>;
}

/** Oldest first: those of `undici` are `undici-6` and so on, of `axios` `axios-1.7`, of Node `node-20`. */
export function copiesOf(name: string): Copy[] {
  return wantedCopies()
    .flatMap(([copy]) => (/^(.+)-[\d.]+$/.exec(copy)?.[1] === name ? [read(copy)] : []))
    .sort((one, other) => compare(one.version || notInstalled, other.version || notInstalled));
}

/** Whether all copies are there, in the versions that test/matrix/package.json asks for. */
export function areCopiesInstalled(): boolean {
  return wantedCopies().every(([copy, wanted]) => wanted.endsWith(`@${read(copy).version}`));
}

function wantedCopies(): [name: string, wanted: string][] {
  return Object.entries(manifestIn(matrixFolder)?.dependencies ?? {});
}

function read(name: string): Copy {
  const folder = join(matrixFolder, "node_modules", name);
  const { version = "", engines } = manifestIn(folder) ?? {};
  return { name, folder, version, needsNode: engines?.node ?? "*" };
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}
