import {
  createRetryPolicy,
  defaultRetryPolicy,
  emptyBudget,
  policyOf,
  refusalOf,
} from "@retry-budget/core";
import { expect, test, vi } from "vitest";
import { facts } from "./facts.js";
import { warningsDuring } from "./warnings.js";

test("nothing means the one default policy", () => {
  expect(policyOf()).toBe(defaultRetryPolicy());
  expect(policyOf(undefined)).toBe(policyOf());
});

test("a policy is used as it is, options make a private one", () => {
  const policy = createRetryPolicy();
  expect(policyOf(policy)).toBe(policy);
  expect(policyOf({})).not.toBe(policyOf({}));
});

test.each([[null], ["fast"], [3], [{ ratios: 1 }]])("%j is a TypeError", (value) => {
  expect(() => policyOf(value as never)).toThrow(TypeError);
});

test("two copies of the package share the default policy, accept each other's and read each other's refusals", async () => {
  vi.resetModules();
  const copy = await import("@retry-budget/core");
  expect(copy.createRetryPolicy).not.toBe(createRetryPolicy);
  expect(copy.defaultRetryPolicy()).toBe(defaultRetryPolicy());
  const policy = createRetryPolicy({ initial: 0 });
  expect(copy.policyOf(policy)).toBe(policy);
  expect(() => copy.createRetryPolicy(policy as never)).toThrow("give the policy itself");
  const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  const call = policy.call(facts());
  call?.sent();
  call?.settle({ error });
  expect(copy.refusalOf(error)).toEqual(refusalOf(error));
  expect(copy.refusalOf(error)).toMatchObject({ refusal: "budget" });
});

test("options that cannot be written down make a policy all the same", () => {
  const store: Record<string, unknown> = { of: () => emptyBudget, big: 1n };
  store["itself"] = store;
  expect(policyOf({ budgets: store as never }).snapshot()).toEqual([]);
});

test("a hundred policies from the same options, one after another, are one warning", async () => {
  const make = (count: number): void => {
    for (let made = 0; made < count; made++) policyOf({ ratio: 0.2, classify: () => undefined });
  };
  expect(await warningsDuring(() => make(99))).toEqual([]);
  expect(await warningsDuring(() => make(200))).toEqual(["RETRY_BUDGET_MANY_POLICIES"]);
});
