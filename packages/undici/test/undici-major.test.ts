import { Client } from "undici";
import { expect, test } from "vitest";
import { undiciMajor } from "./undici-major.js";

test("the undici that runs is the one that was asked for", () => {
  const copy = process.env["RETRY_BUDGET_CLIENT"] ?? "undici";
  const blame = (): unknown => {
    try {
      return new Client("no URL");
    } catch (error) {
      return Object(error).stack;
    }
  };
  expect(blame()).toContain(`/node_modules/${copy}/lib/`);
  expect(["undici", `undici-${undiciMajor}`]).toContain(copy);
});
