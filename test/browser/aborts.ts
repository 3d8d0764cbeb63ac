import type { OriginSnapshot } from "@retry-budget/core";
import { hang, status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open, type Opened } from "./chromium.js";
import type { AdapterName, Ending } from "./kit.js";

const ways = ["signal", "cancelToken"] as const;
const canceled = {
  name: "CanceledError",
  code: "ERR_CANCELED",
  isAxiosError: true,
  isCancel: true,
};
const messages = { signal: "canceled", cancelToken: "No longer wanted." };

export function aborts(open: Open): void {
  describe("an abort in a page", () => {
    describe.each(adapters)("with the %s adapter", (adapter) => {
      test.each(ways)(
        "by %s in the backoff ends the call with axios' own error, and the token is back",
        async (way) => {
          const { page, site } = await open(status(503));
          const seen = await page.evaluate(
            async ({ adapter, way }) => {
              const { clock, asked } = kit.stoppedClock();
              const { client, policy } = kit.connect(adapter, { clock });
              const { config, end } = kit.enderBy(way);
              const ending = kit.ended(client.get("/api", config));
              await asked;
              const [during] = policy.snapshot();
              end();
              const { error } = await ending;
              return { error, during, after: policy.snapshot(), pending: clock.pending };
            },
            { adapter, way },
          );
          expect(seen).toMatchObject({
            error: { ...canceled, message: messages[way] },
            during: { balance: 9 },
            after: [{ balance: 10, originals: 1, retries: 0, refusals: { aborted: 1 } }],
            pending: 0,
          });
          expect(site.hits).toHaveLength(1);
        },
      );

      test.each(ways)(
        "by %s in flight ends the call as without a budget, and nothing is spent",
        async (way) => {
          const { page, site } = await open(hang());
          const inFlight = await page.evaluateHandle(
            ({ adapter, way }) => {
              const { client, policy } = kit.connect(adapter);
              const { config, end } = kit.enderBy(way);
              const bare = kit.axios.create({ adapter });
              const ending = kit.ended(client.get("/api?1", config));
              return { policy, end, ending, bareEnding: kit.ended(bare.get("/api?2", config)) };
            },
            { adapter, way },
          );
          await site.received(2);
          const seen = await inFlight.evaluate(async ({ policy, end, ending, bareEnding }) => {
            end();
            const [{ error }, { error: bareError }] = await Promise.all([ending, bareEnding]);
            return { error, bareError, snapshot: policy.snapshot() };
          });
          expect(seen.error).toEqual(seen.bareError);
          expect(seen.error).toMatchObject(canceled);
          expect(seen.snapshot).toMatchObject([{ balance: 10, retries: 0 }]);
          expect(site.hits).toHaveLength(2);
        },
      );

      test.each(ways)(
        "by %s in flight of a retry has spent its token, and is the last attempt",
        async (way) => {
          const opened = await open(status(503), hang());
          expect(await endInFlight(opened, adapter, way, 2)).toMatchObject({
            error: canceled,
            snapshot: [{ balance: 9, originals: 1, retries: 1, refusals: { aborted: 1 } }],
          });
          expect(opened.site.hits).toHaveLength(2);
        },
      );

      for (const way of ways) {
        // The error of a token does not know the request that it has ended.
        const isKnownFault = adapter === "xhr" && way === "cancelToken";
        (isKnownFault ? test.fails : test)(
          `by ${way} in flight earns, as what was sent does`,
          async () => {
            const { snapshot } = await endInFlight(await open(hang()), adapter, way, 1);
            expect(snapshot).toMatchObject([{ originals: 1, retries: 0 }]);
          },
        );
      }

      test.each(ways)("by %s before the request sends and earns nothing", async (way) => {
        const { page, site } = await open(status(200));
        const seen = await page.evaluate(
          async ({ adapter, way }) => {
            const { client, policy } = kit.connect(adapter, { initial: 0, ratio: 1 });
            const { config, end } = kit.enderBy(way);
            end();
            const { error } = await kit.ended(client.get("/api", config));
            return { error, originals: policy.snapshot().map(({ originals }) => originals) };
          },
          { adapter, way },
        );
        expect(seen.error).toMatchObject(canceled);
        expect(seen.originals).not.toContain(1);
        expect(site.hits).toHaveLength(0);
      });

      test("by AbortSignal.timeout is the caller's deadline, and is not retried", async () => {
        const { page, site } = await open(hang());
        const ending = await page.evaluate(async (adapter) => {
          const { client } = kit.connect(adapter);
          return kit.ended(client.get("/api", { signal: AbortSignal.timeout(1000) }));
        }, adapter);
        expect(ending).toMatchObject({
          error: { code: "ERR_CANCELED", isCancel: true },
          refusal: { refusal: "aborted" },
        });
        expect(site.hits).toHaveLength(1);
      });
    });

    test("by the browser itself is not retried with the xhr adapter", async () => {
      const { page, site } = await open(hang());
      const inFlight = await page.evaluateHandle(() => {
        const { client } = kit.connect("xhr");
        return { ending: kit.ended(client.get("/api")) };
      });
      await site.received(1);
      const ending = await inFlight.evaluate(({ ending }) => {
        (globalThis as unknown as { stop(): void }).stop();
        return ending;
      });
      expect(ending).toMatchObject({
        error: { code: "ECONNABORTED", message: "Request aborted" },
        refusal: { refusal: "permanent" },
      });
      expect(site.hits).toHaveLength(1);
    });
  });
}

interface Ended {
  readonly error: Ending["error"];
  readonly snapshot: readonly OriginSnapshot[];
}

/** Ends a request when the server has got its attempt. */
async function endInFlight(
  { page, site }: Opened,
  adapter: AdapterName,
  way: (typeof ways)[number],
  attempt: number,
): Promise<Ended> {
  const inFlight = await page.evaluateHandle(
    ({ adapter, way }) => {
      const { client, policy } = kit.connect(adapter);
      const { config, end } = kit.enderBy(way);
      return { policy, end, ending: kit.ended(client.get("/api", config)) };
    },
    { adapter, way },
  );
  await site.received(attempt);
  return inFlight.evaluate(async ({ policy, end, ending }) => {
    end();
    const { error } = await ending;
    return { error, snapshot: policy.snapshot() };
  });
}
