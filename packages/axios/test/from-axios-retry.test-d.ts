import { fromAxiosRetry, retryBudget } from "@retry-budget/axios";
import axios from "axios";
import { exponentialDelay, isNetworkError, linearDelay } from "axios-retry";
import { expectTypeOf, test } from "vitest";

test("options of axios-retry are taken as they are, and its functions fit", () => {
  const options = fromAxiosRetry({
    retries: 2,
    retryDelay: exponentialDelay,
    retryCondition: (error) => isNetworkError(error) || error.response?.status === 404,
    onRetry: (count, error, { headers }) => headers.set("x-retry", `${count} ${error.code}`),
    validateResponse: null,
  });
  retryBudget(axios.create(), { ...options, deadline: 1000 });
  fromAxiosRetry({ retryDelay: linearDelay(10), retries: undefined });
});

test("what has no counterpart does not compile", () => {
  const refused = (): unknown => [
    // @ts-expect-error it has to answer at once
    fromAxiosRetry({ retryCondition: async () => true }),
    // @ts-expect-error a deadline takes its place
    fromAxiosRetry({ shouldResetTimeout: false }),
    // @ts-expect-error refusalOf takes its place
    fromAxiosRetry({ onMaxRetryTimesExceeded: () => undefined }),
    // @ts-expect-error validateStatus and classify take its place
    fromAxiosRetry({ validateResponse: () => true }),
  ];
  expectTypeOf(refused).toBeFunction();
});
