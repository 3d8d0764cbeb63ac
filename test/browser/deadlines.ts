import { once } from "node:events";
import { hang, type Reply, status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open, timeouts } from "./chromium.js";

export function deadlines(open: Open): void {
  describe("a deadline in a page", () => {
    test.each(adapters)(
      "ends an attempt in flight and its connection, with axios' own error for a timeout, with the %s adapter",
      async (adapter) => {
        let closed: Promise<unknown> | undefined;
        const waiting: Reply = (response) => {
          closed = once(response, "close");
        };
        const { page, site } = await open(waiting);
        const inFlight = await page.evaluateHandle((adapter) => {
          const { clock } = kit.stoppedClock();
          const { client, policy } = kit.connect(adapter, { clock, deadline: 5000 });
          return { clock, policy, ending: kit.ended(client.get("/api")) };
        }, adapter);
        await site.received(1);
        const seen = await inFlight.evaluate(async ({ clock, policy, ending }) => {
          clock.advance(5000);
          return { ...(await ending), pending: clock.pending, snapshot: policy.snapshot() };
        });
        expect(seen).toMatchObject({
          error: { code: timeouts[adapter], message: "timeout of 5000ms exceeded" },
          refusal: { refusal: "deadline", attempts: 1 },
          pending: 0,
          snapshot: [{ balance: 10, originals: 1, retries: 0 }],
        });
        await closed;
        expect(site.hits).toHaveLength(1);
      },
    );

    test.each(adapters)("leaves no timer behind a success with the %s adapter", async (adapter) => {
      const { page } = await open(status(200));
      const pending = await page.evaluate(async (adapter) => {
        const { clock } = kit.stoppedClock();
        const { client } = kit.connect(adapter, { clock, deadline: 5000 });
        await client.get("/api");
        return clock.pending;
      }, adapter);
      expect(pending).toBe(0);
    });

    test.each(adapters)(
      "leaves the end of a call to an abort that comes before it with the %s adapter",
      async (adapter) => {
        const { page, site } = await open(hang());
        const inFlight = await page.evaluateHandle((adapter) => {
          const { clock } = kit.stoppedClock();
          const { client } = kit.connect(adapter, { clock, deadline: 5000 });
          const { config, end } = kit.enderBy("cancelToken");
          return { clock, end, ending: kit.ended(client.get("/api", config)) };
        }, adapter);
        await site.received(1);
        const seen = await inFlight.evaluate(async ({ clock, end, ending }) => {
          end();
          const { error } = await ending;
          return { error, pending: clock.pending };
        });
        expect(seen).toMatchObject({
          error: { name: "CanceledError", message: "No longer wanted.", isCancel: true },
          pending: 0,
        });
        expect(site.hits).toHaveLength(1);
      },
    );
  });
}
