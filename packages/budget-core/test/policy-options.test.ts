import { runInNewContext } from "node:vm";
import {
  createBudgets,
  createRetryPolicy,
  defaultRetryPolicy,
  emptyBudget,
  type RetryPolicyOptions,
} from "@retry-budget/core";
import { expect, test } from "vitest";
import { policyFields } from "../src/policy-fields.js";
import { resolvePolicyOptions } from "../src/resolve-options.js";
import { warningsDuring } from "./warnings.js";

test.each([
  ["ratio", -0.1],
  ["ratio", "0.1"],
  ["ratio", null],
  ["capacity", 0],
  ["initial", 11],
  ["initial", -1],
  ["trickle", Number.NaN],
  ["depositOn", "response"],
  ["maxAttempts", 0],
  ["maxAttempts", 1.5],
  ["maxAttempts", "3"],
  ["maxAttempts", Symbol("3")],
  ["maxAttempts", Object.create(null)],
  ["backoff", 100],
  ["maxRetryAfter", 2 ** 31],
  ["maxRetryAfter", -1],
  ["deadline", 0],
  ["deadline", "1s"],
  ["methods", "GET"],
  ["methods", ["GET POST"]],
  ["methods", [1]],
  ["statuses", 503],
  ["statuses", [200]],
  ["statuses", ["503"]],
  ["idempotencyKey", "yes"],
  ["classify", true],
  ["onRetry", {}],
  ["maxOrigins", 1.5],
  ["origins", []],
  ["budgets", {}],
  ["budgets", { of: 1 }],
  ["clock", Date],
  ["clock", { now: Date.now }],
  ["random", 4],
])("%s: %j is a TypeError that names the field", (field, value) => {
  const attempt = (): unknown => createRetryPolicy({ [field]: value });
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(`Expected \`${field}`);
  expect(attempt).toThrow(/got /);
});

test.each([["a string"], [null], [[]], [7]])(
  "%j in place of the options is a TypeError",
  (options) => {
    expect(() => createRetryPolicy(options as never)).toThrow(
      "Expected `options` to be an object, got",
    );
  },
);

test("an unknown option is a TypeError that names it and what there is", () => {
  const attempt = (): unknown => createRetryPolicy({ retries: 3 } as never);
  expect(attempt).toThrow(
    "Unknown option `retries` (3) in options. Known options: ratio, capacity,",
  );
});

test("a policy in place of the options is a TypeError that says where it belongs", () => {
  const attempt = (): unknown => createRetryPolicy(defaultRetryPolicy() as never);
  expect(attempt).toThrow(
    "Expected `options` to be options; give the policy itself to the adapter",
  );
});

test("what is explicitly undefined counts as not given", () => {
  const names = [
    "ratio",
    "capacity",
    "initial",
    "trickle",
    "clock",
    "random",
    "backoff",
    ...Object.keys(policyFields),
  ];
  const blank = Object.fromEntries(names.map((name) => [name, undefined]));
  const { backoff: _, random: __, ...settings } = resolvePolicyOptions(blank, () => undefined);
  const { backoff: ___, random: ____, ...defaults } = resolvePolicyOptions({}, () => undefined);
  expect(settings).toEqual(defaults);
});

test("methods are compared without regard to case", () => {
  expect(resolvePolicyOptions({ methods: ["patch"] }, () => undefined).methods).toEqual(
    new Set(["PATCH"]),
  );
});

test("attempts and the deadline may be without limit", () => {
  createRetryPolicy({ maxAttempts: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY });
});

class Options {
  ratio = 0.2;
}

test.each([
  [Promise.resolve(), "an instance of Promise"],
  [new Map(), "an instance of Map"],
  [new Options(), "an instance of Options"],
  [createBudgets(), "an instance of OriginRegistry"],
])(
  "what is no plain object would silently mean the defaults: %o is a TypeError",
  (options, named) => {
    const attempt = (): unknown => createRetryPolicy(options as never);
    expect(attempt).toThrow(`Expected \`options\` to be a plain object, got ${named}.`);
  },
);

test("an array that holds itself can be shown", () => {
  const methods: unknown[] = [1];
  methods.push(methods);
  expect(() => createRetryPolicy({ methods } as never)).toThrow("got [1, an array].");
});

test("options of another realm, and such without a prototype, are plain", () => {
  createRetryPolicy(runInNewContext("({ ratio: 0.2, backoff: { base: 5 } })"));
  createRetryPolicy(Object.assign(Object.create(null), { ratio: 0.2 }));
});

test("options that have no effect beside others are warned about", async () => {
  const budgets = { of: () => emptyBudget };
  const contradictions: RetryPolicyOptions[] = [
    { budgets, capacity: 5 },
    { origins: { "api.example.com": {} } },
    { origins: { "127.0.0.1:8080": {} } },
  ];
  for (const options of contradictions) {
    const code = options.budgets ? "RETRY_BUDGET_OPTIONS_OF_BUDGETS" : "RETRY_BUDGET_ORIGINS";
    expect(await warningsDuring(() => createRetryPolicy(options))).toEqual([code]);
  }
  const fine: RetryPolicyOptions[] = [
    { budgets },
    { budgets, capacity: undefined },
    { origins: { "https://a.example": {}, db: {} } },
  ];
  for (const options of fine) {
    expect(await warningsDuring(() => createRetryPolicy(options))).toEqual([]);
  }
});

test("a trickle that a ratio of 0 silences is warned about once", async () => {
  const warnings = await warningsDuring(() => {
    createRetryPolicy({ ratio: 0, trickle: 1 });
  });
  expect(warnings).toEqual(["RETRY_BUDGET_TRICKLE"]);
});
