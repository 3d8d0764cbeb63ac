import { expect, test } from "vitest";
import { bundleForBrowser } from "./bundle.js";

test("@retry-budget/axios bundles for a browser, and nothing in it imports Node", async () => {
  const code = await bundleForBrowser(`
    import { retryBudget } from "@retry-budget/axios";
    import { refusalOf } from "@retry-budget/core";
    globalThis.made = [retryBudget, refusalOf];
  `);
  expect(code).toContain("retry-budget.policy.v1");
  // What only the variants for browsers lack.
  expect(code).not.toContain("RetryBudgetWarning");
  expect(code).not.toMatch(/\bimport\b/);
});

test.each(["node:fs", "url"])("an import of %s would be found", async (name) => {
  const bundle = bundleForBrowser(`import * as found from "${name}"; globalThis.made = found;`);
  await expect(bundle).rejects.toThrow(`imports ${name}.`);
});
