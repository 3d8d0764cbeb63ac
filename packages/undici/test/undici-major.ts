import manifest from "undici/package.json" with { type: "json" };

/** Of the undici that the tests run with: the matrix puts each in place of the installed one. */
export const undiciMajor: number = Number.parseInt(manifest.version, 10);

export const nodeMajor: number = Number.parseInt(process.versions.node, 10);
