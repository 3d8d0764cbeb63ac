import { hang, refusingUrl, reset, status, truncate } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open, timeouts } from "./chromium.js";
import { send } from "./send.js";
import { serveSite } from "./site.js";

const networkError = { name: "AxiosError", message: "Network Error", code: "ERR_NETWORK" };

export function failures(open: Open): void {
  describe("a failure without a response", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test("by a connection that is reset is retried", async () => {
        const { page, site } = await open(reset(), status(200));
        const sent = await send(page, adapter);
        expect(sent).toMatchObject({ status: 200, snapshot: [{ balance: 9, retries: 1 }] });
        expect(site.hits).toHaveLength(2);
      });

      test("by a connection that is refused is retried up to the cap, and axios' own error is the caller's", async () => {
        const { page } = await open();
        const url = await refusingUrl();
        expect(await send(page, adapter, { url })).toMatchObject({
          error: networkError,
          refusal: { refusal: "attempts", attempts: 3, origin: url },
          snapshot: [{ balance: 8, originals: 1, retries: 2 }],
        });
      });

      test("of a POST is not retried: browsers hide whether it was sent", async () => {
        const { page, site } = await open(reset(), status(200));
        expect(await send(page, adapter, { method: "post", data: "pay" })).toMatchObject({
          error: networkError,
          refusal: { refusal: "method", attempts: 1 },
          snapshot: [{ balance: 10 }],
        });
        expect(site.hits).toHaveLength(1);
      });

      test("since CORS forbids the answer is retried within the budget, and axios' own error is the caller's", async () => {
        const { page } = await open();
        const other = await serveSite("", status(200));
        const url = `${other.url}/api`;
        expect(await send(page, adapter, { url }, { initial: 1, ratio: 0 })).toMatchObject({
          error: networkError,
          refusal: { refusal: "budget", attempts: 2, origin: other.url },
          snapshot: [{ balance: 0, originals: 1, retries: 1 }],
        });
        expect(other.hits).toHaveLength(2);
      });

      test("by a body that breaks off is retried", async () => {
        const { page, site } = await open(truncate(), status(200));
        const sent = await send(page, adapter);
        expect(sent).toMatchObject({ status: 200, snapshot: [{ balance: 9, retries: 1 }] });
        expect(site.hits).toHaveLength(2);
      });

      test("by the timeout of one attempt is retried, each attempt with its own", async () => {
        const { page, site } = await open(hang());
        expect(await send(page, adapter, { timeout: 500 }, { maxAttempts: 2 })).toMatchObject({
          error: { code: timeouts[adapter], message: "timeout of 500ms exceeded" },
          refusal: { refusal: "attempts", attempts: 2 },
          snapshot: [{ balance: 9, originals: 1, retries: 1 }],
        });
        expect(site.hits).toHaveLength(2);
      });

      test("of a page that is offline is retried, and the first attempt online succeeds", async () => {
        const { page, site } = await open(status(200));
        await page.context().setOffline(true);
        const waiting = await page.evaluateHandle(async (adapter) => {
          const { clock, asked } = kit.stoppedClock();
          const { client } = kit.connect(adapter, { clock });
          const ending = kit.ended(client.get("/api"));
          await Promise.race([asked, ending]);
          return { clock, ending };
        }, adapter);
        await page.context().setOffline(false);
        const ending = await waiting.evaluate(({ clock, ending }) => {
          clock.advance(1);
          return ending;
        });
        expect(ending).toMatchObject({ status: 200 });
        expect(site.hits).toHaveLength(1);
      });
    });

    test("by axios' own word, before anything is sent, is not retried", async () => {
      const { page } = await open();
      expect(await send(page, "xhr", { url: "foo://bar" })).toMatchObject({
        error: { name: "AxiosError", code: "ERR_BAD_REQUEST" },
        refusal: { refusal: "permanent", attempts: 0 },
        snapshot: [{ balance: 10, retries: 0 }],
      });
    });
  });
}
