import { defineConfig } from "vitest/config";

const source = { conditions: ["@retry-budget/source"] };
const packages = ["budget-core", "undici", "axios", "got", "p-retry"];

const project = (name: string, root: string, order: object = {}) => ({
  resolve: source,
  ssr: { resolve: source },
  test: { name, root, include: ["test/**/*.test.ts"], ...order },
});

export default defineConfig({
  test: {
    coverage: { include: packages.map((name) => `packages/${name}/src/**`) },
    // Many tests are about them; they see them all the same.
    execArgv: ["--disable-warning=RetryBudgetWarning"],
    // What .ci/summary.mjs counts.
    reporters: ["default", ["json", { outputFile: "coverage/results.json" }]],
    projects: [
      ...packages.map((name) => project(name, `packages/${name}`)),
      // One after the other and at the end: the storm wants the machine to itself.
      project("product", ".", { maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
});
