import { errorOf } from "@retry-budget/testkit";
import * as pRetryModule from "p-retry";
import pRetry, { AbortError } from "p-retry";
import { expect, test } from "vitest";
import { hasContext, hasShouldRetry, pRetryMajor } from "./p-retry-major.js";

test("the p-retry that runs is the one that was asked for", () => {
  const copy = process.env["RETRY_BUDGET_CLIENT"] ?? "p-retry";
  // An AbortError made of a text has the stack of its making, and 9 hides its own frame.
  const blame = (): unknown => {
    try {
      return new AbortError({ toString: () => Object(undefined).missing() } as never);
    } catch (error) {
      return Object(error).stack;
    }
  };
  expect(blame()).toContain(`/node_modules/${copy}/index.js`);
  expect(["p-retry", `p-retry-${pRetryMajor}`]).toContain(copy);
});

test("what the majors lack is what the tests think they lack", async () => {
  expect("makeRetriable" in pRetryModule).toBe(hasContext);
  const asked: unknown[] = [];
  const options = {
    retries: 1,
    minTimeout: 1,
    shouldRetry: (failure: unknown) => asked.push(failure),
  };
  await errorOf(pRetry(() => Promise.reject(new Error("E")), options as never));
  expect(asked.length > 0).toBe(hasShouldRetry);
  expect(asked.some((failure) => !(failure instanceof Error))).toBe(hasContext);
});
