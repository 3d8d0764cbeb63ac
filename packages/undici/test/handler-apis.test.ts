import { errorOf, serve, status } from "@retry-budget/testkit";
import { Agent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";
import { fetches } from "./fetches.js";
import { fitsBuiltInFetch } from "./fits-built-in-fetch.js";

describe("the built-in fetch and an undici that speak different handler APIs (undici #3973)", () => {
  test.skipIf(fitsBuiltInFetch)(
    "a bare agent fails (8 under Node 22 and 24, 6 under Node 26)",
    async () => {
      const server = await serve(status(200));
      const agent = new Agent();
      onTestFinished(() => agent.destroy());
      const error = await errorOf(fetch(server.url, { dispatcher: agent } as object));
      expect(error.cause).toMatchObject({
        message: expect.stringMatching(/^invalid on\w+ method$/),
      });
      expect(server.hits).toHaveLength(0);
    },
  );

  test.each(fetches)("with a budget, $name succeeds", async ({ fetch }) => {
    const server = await serve(status(503), status(200));
    const { dispatcher } = budgetedAgent();
    const response = await fetch(server.url, { dispatcher });
    expect([response.status, await response.text()]).toEqual([200, "answer 200"]);
  });
});
