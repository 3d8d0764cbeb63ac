import { status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";
import { send } from "./send.js";
import { serveSite, shared } from "./site.js";

export function urls(open: Open): void {
  describe("the origin of a page's request", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test.each([
        {},
        { url: "/api" },
        { url: "api" },
        { url: "?/api", baseURL: "/api" },
        { url: "items", baseURL: "/api" },
        { url: "/items", baseURL: "api/" },
      ])("%o is the page's own", async (config) => {
        const { page, site } = await open(status(503), status(200));
        const { snapshot } = await send(page, adapter, config);
        expect(snapshot).toMatchObject([{ origin: site.url, originals: 1, retries: 1 }]);
        expect(site.hits).toHaveLength(2);
      });

      test("is that of an absolute URL, of a baseURL, or of a URL without a scheme", async () => {
        const { page, site } = await open();
        const other = await serveSite("", shared(status(200)));
        for (const config of [
          { url: `${other.url}/api` },
          { baseURL: other.url },
          { url: "items", baseURL: `${other.url}/api` },
          { url: `${other.url.replace("http:", "")}/api`, baseURL: site.url },
        ]) {
          const { snapshot } = await send(page, adapter, config);
          expect(snapshot).toMatchObject([{ origin: other.url, originals: 1 }]);
        }
        expect([other.hits.length, site.hits.length]).toEqual([4, 0]);
      });

      test("is where `<base>` leads a relative URL", async () => {
        const { page } = await open();
        const other = await serveSite("", shared(status(503)), shared(status(200)));
        await page.evaluate((base) => kit.setBase(base), `${other.url}/`);
        const { snapshot } = await send(page, adapter);
        expect(other.hits).toHaveLength(2);
        expect(snapshot).toMatchObject([{ origin: other.url, originals: 1, retries: 1 }]);
      });
    });
  });
}
