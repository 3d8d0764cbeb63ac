import axios from "axios";
import { expect, test } from "vitest";
import { axiosMinor } from "./axios-version.js";

test("the axios that runs is the one that was asked for", () => {
  const copy = process.env["RETRY_BUDGET_CLIENT"] ?? "axios";
  const blame = (): unknown => {
    try {
      return new axios.CancelToken("no function" as never);
    } catch (error) {
      return Object(error).stack;
    }
  };
  expect(blame()).toContain(`/node_modules/${copy}/`);
  expect(["axios", `axios-1.${axiosMinor}`]).toContain(copy);
});
