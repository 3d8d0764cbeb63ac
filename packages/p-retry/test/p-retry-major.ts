import { readFileSync } from "node:fs";

// As in vitest.config.ts. p-retry exports no package.json that could be imported.
const copy = process.env["RETRY_BUDGET_CLIENT"];
const folder = copy === undefined ? "node_modules/p-retry" : `test/matrix/node_modules/${copy}`;
const manifest = new URL(`../../../${folder}/package.json`, import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

/** Of the p-retry that the tests run with: the matrix puts each in place of the installed one. */
export const pRetryMajor: number = Number.parseInt(version, 10);

/** Whether p-retry asks a `shouldRetry`; p-retry 5 takes no notice of it. */
export const hasShouldRetry: boolean = pRetryMajor >= 6;

/** Whether callbacks get a context, a `shouldConsumeRetry` is asked, and options are checked. */
export const hasContext: boolean = pRetryMajor >= 7;
