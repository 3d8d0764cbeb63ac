import manifest from "cockatiel/package.json" with { type: "json" };

/** Of the cockatiel that the tests run with: 3 here; 4 is ESM, and says that it needs Node 22. */
export const cockatielMajor: number = Number.parseInt(manifest.version, 10);
