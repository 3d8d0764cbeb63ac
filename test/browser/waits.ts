import { status } from "@retry-budget/testkit";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";
import type { AdapterName } from "./kit.js";
import { send } from "./send.js";
import { serveSite, shared } from "./site.js";

const unavailable = status(503, { "retry-after": "7" });

export function waits(open: Open): void {
  describe("a Retry-After", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test("of the page's own origin is waited for in full", async () => {
        const { page, site } = await open(unavailable, status(200));
        expect(await waitOf(page, adapter, "/api")).toEqual({ wait: 7000, status: 200 });
        expect(site.hits).toHaveLength(2);
      });

      test("of another origin that does not expose it is hidden by the browser: the wait is the client's own", async () => {
        const { page } = await open();
        const other = await serveSite("", shared(unavailable), shared(status(200)));
        const url = `${other.url}/api`;
        expect(await waitOf(page, adapter, url)).toEqual({ wait: 1, status: 200 });
        expect(other.hits).toHaveLength(2);
      });

      test("of another origin that exposes it is waited for in full", async () => {
        const { page } = await open();
        const reply = shared(unavailable, "Retry-After");
        const other = await serveSite("", reply, shared(status(200)));
        const url = `${other.url}/api`;
        expect(await waitOf(page, adapter, url)).toEqual({ wait: 7000, status: 200 });
        expect(other.hits).toHaveLength(2);
      });

      test("that is too long ends the call at once, and nothing is spent", async () => {
        const { page, site } = await open(status(503, { "retry-after": "3600" }));
        expect(await send(page, adapter)).toMatchObject({
          status: 503,
          refusal: { refusal: "retry-after", attempts: 1, retryAfter: 3_600_000 },
          snapshot: [{ balance: 10 }],
        });
        expect(site.hits).toHaveLength(1);
      });
    });
  });
}

/** The wait that the first failure is met with, and the status after it. */
function waitOf(
  page: Page,
  adapter: AdapterName,
  url: string,
): Promise<{ wait: number; status: number | undefined }> {
  return page.evaluate(
    async ({ adapter, url }) => {
      const { clock, asked } = kit.stoppedClock();
      const { client } = kit.connect(adapter, { clock, random: () => 0 });
      const ending = kit.ended(client.get(url));
      const wait = await asked;
      clock.advance(wait);
      const { status } = await ending;
      return { wait, status };
    },
    { adapter, url },
  );
}
