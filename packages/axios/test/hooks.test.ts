import { serve } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { fixture, ok, unavailable } from "./attached.js";

test("onRetry may change the headers of the retry (axios-retry #162)", async () => {
  const server = await serve(unavailable, unavailable, ok);
  const { instance } = fixture({
    onRetry: async ({ attempt, headers }) => {
      (headers as { set(name: string, value: string): void }).set(
        "authorization",
        `Bearer ${attempt}`,
      );
    },
  });
  await instance.get(server.url, { headers: { authorization: "Bearer 1" } });
  expect(server.hits.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer 1",
    "Bearer 2",
    "Bearer 3",
  ]);
});
