import { status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";

export function outage(open: Open): void {
  describe("in an outage", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test("100 requests of a page are 119 attempts, and not one more", async () => {
        const { page, site } = await open(status(503));
        const snapshot = await page.evaluate(async (adapter) => {
          const { client, policy } = kit.connect(adapter);
          for (let request = 0; request < 100; request++) await kit.ended(client.get("/api"));
          return policy.snapshot();
        }, adapter);
        expect(site.hits).toHaveLength(100 + 10 + 9);
        expect(snapshot).toMatchObject([{ originals: 100, retries: 19, balance: 0 }]);
      });

      test("40 requests that fail at once share three tokens exactly", async () => {
        const { page, site } = await open(status(503));
        const refusals = await page.evaluate(async (adapter) => {
          const { client } = kit.connect(adapter, { initial: 3, ratio: 0 });
          // For one and the same URL, Chromium's cache would let them go one by one.
          const urls = Array.from({ length: 40 }, (_, index) => `/api?${index}`);
          const endings = await Promise.all(urls.map((url) => kit.ended(client.get(url))));
          return endings.map(({ refusal }) => refusal?.refusal);
        }, adapter);
        expect(site.hits).toHaveLength(43);
        expect(new Set(refusals)).toContain("budget");
      });
    });
  });
}
