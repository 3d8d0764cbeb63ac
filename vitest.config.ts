import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = { conditions: ["@retry-budget/source"] };
const packages = ["budget-core", "undici", "axios", "got", "p-retry", "context", "cockatiel"];

// As `undici-8` or `axios-1.7`: the copy in test/matrix that takes the place of the client named before
// the number.
const copy = process.env["RETRY_BUDGET_CLIENT"];
const alias =
  copy === undefined
    ? []
    : [
        {
          find: new RegExp(`^${copy.replace(/-[\d.]+$/, "")}(?=$|/)`),
          replacement: fileURLToPath(new URL(`test/matrix/node_modules/${copy}`, import.meta.url)),
        },
      ];

const project = (name: string, root: string, order: object = {}) => ({
  resolve: { ...source, alias },
  ssr: { resolve: source },
  test: {
    name,
    root,
    include: ["test/**/*.test.ts"],
    // Many tests are about them; they see them all the same.
    execArgv: ["--disable-warning=RetryBudgetWarning"],
    ...order,
  },
});

export default defineConfig({
  test: {
    coverage: { include: packages.map((name) => `packages/${name}/src/**`) },
    // What .ci/summary.mjs counts.
    reporters: ["default", "json"],
    outputFile: { json: "coverage/results.json" },
    projects: [
      ...packages.map((name) => project(name, `packages/${name}`)),
      // One after the other and at the end: the storm wants the machine to itself.
      project("product", ".", { maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
});
