import { defineConfig } from "vitest/config";

const source = { conditions: ["@retry-budget/source"] };
const packages = ["budget-core", "undici", "axios", "got", "p-retry", "testkit", "lab"];
const project = (name: string, root: string) => ({
  resolve: source,
  ssr: { resolve: source },
  test: {
    name,
    root,
    include: ["test/**/*.test.ts"],
  },
});

export default defineConfig({
  test: {
    coverage: { include: ["packages/*/src/**"] },
    projects: [
      ...packages.map((name) => project(name, `packages/${name}`)),
      project("product", "."),
    ],
  },
});
