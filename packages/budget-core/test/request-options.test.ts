import { expectRequestOptions, type RetryBudgetRequestOptions } from "@retry-budget/core";
import { expect, test } from "vitest";

test.each<[RetryBudgetRequestOptions]>([
  [{}],
  [{ maxAttempts: undefined }],
  [{ idempotent: false, maxAttempts: 1, deadline: 1, key: "payments" }],
  [{ key: new URL("http://a.example"), body: () => "again" }],
])("%j are a request's options", (options) => {
  expect(() => expectRequestOptions(options)).not.toThrow();
});

test.each<[unknown, string]>([
  [
    { attempts: 2 },
    "Unknown option `attempts` (2) in `retryBudget`. " +
      "Known options: idempotent, maxAttempts, deadline, key, body.",
  ],
  [{ idempotent: "yes" }, 'Expected `retryBudget.idempotent` to be true or false, got "yes".'],
  [
    { maxAttempts: 0 },
    "Expected `retryBudget.maxAttempts` to be a whole number from 1 to 9007199254740991, got 0.",
  ],
  [{ deadline: "1s" }, 'Expected `retryBudget.deadline` to be a number of ms above 0, got "1s".'],
  [{ key: "" }, 'Expected `retryBudget.key` to be a URL or a name, got "".'],
  [{ body: "again" }, 'Expected `retryBudget.body` to be a function, got "again".'],
  [undefined, "Expected `retryBudget` to be an object, got undefined."],
  [[], "Expected `retryBudget` to be an object, got []."],
])("%j are not: a TypeError that names option and value", (options, message) => {
  expect(() => expectRequestOptions(options)).toThrow(new TypeError(message));
});
