import { status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";
import { serveSite, shared } from "./site.js";

export function workers(open: Open): void {
  describe("in a worker", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test("a relative URL counts from the worker's own", async () => {
        const { page, site } = await open(status(503), status(200));
        const answer = await page.evaluate(
          (adapter) => kit.askWorker("/kit.js", { adapter, url: "/api" }),
          adapter,
        );
        expect(answer).toMatchObject({ ending: { status: 200 }, origins: [site.url] });
        expect(site.hits).toHaveLength(2);
      });

      test("made from a blob, an absolute URL has its own origin", async () => {
        const { page } = await open();
        const other = await serveSite("", shared(status(503)), shared(status(200)));
        const answer = await page.evaluate(
          async ({ adapter, url }) => kit.askWorker(await kit.blobOf("/kit.js"), { adapter, url }),
          { adapter, url: `${other.url}/api` },
        );
        expect(answer).toMatchObject({ ending: { status: 200 }, origins: [other.url] });
        expect(other.hits).toHaveLength(2);
      });
    });

    test("made from a blob, a relative URL leads nowhere: it is not sent, and costs nothing", async () => {
      const { page, site } = await open(status(200));
      const answer = await page.evaluate(async () =>
        kit.askWorker(await kit.blobOf("/kit.js"), { adapter: "fetch", url: "/api" }),
      );
      expect(answer).toMatchObject({ ending: { status: undefined }, origins: ["unknown"] });
      expect(site.hits).toHaveLength(0);
    });
  });
}
