import manifest from "axios/package.json" with { type: "json" };

/** Of the axios 1.x that the tests run with: the matrix puts each in place of the installed one. */
export const axiosMinor: number = Number(manifest.version.split(".")[1]);
