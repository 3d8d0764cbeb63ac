import { status } from "@retry-budget/testkit";
import { describe, expect, test } from "vitest";
import { adapters, type Open } from "./chromium.js";
import { send } from "./send.js";
import { serveSite, shared } from "./site.js";

export function answers(open: Open): void {
  describe("in a page", () => {
    test("neither process nor Buffer is there, and no test below needs them", async () => {
      const { page } = await open();
      expect(await page.evaluate(() => [typeof process, typeof Buffer])).toEqual([
        "undefined",
        "undefined",
      ]);
    });

    describe.each(adapters)("with the %s adapter", (adapter) => {
      test("a 503 and then a 200 is a success at the cost of one token", async () => {
        const { page, site } = await open(status(503), status(200));
        const sent = await send(page, adapter);
        expect(sent).toMatchObject({ status: 200, data: "answer 200" });
        expect([sent.error, sent.refusal]).toEqual([undefined, undefined]);
        expect(sent.snapshot).toMatchObject([{ balance: 9, originals: 1, retries: 1 }]);
        expect(site.hits).toHaveLength(2);
      });

      test("the last failure is the caller's in axios' own error, and refusalOf says why", async () => {
        const { page, site } = await open(status(503, {}, "the server's own words"));
        expect(await send(page, adapter)).toMatchObject({
          status: 503,
          data: "the server's own words",
          error: { name: "AxiosError", code: "ERR_BAD_RESPONSE", isAxiosError: true },
          refusal: { refusal: "attempts", attempts: 3, origin: site.url },
        });
        expect(site.hits).toHaveLength(3);
      });

      test("a response that validateStatus accepts has its refusal by itself", async () => {
        const { page } = await open(status(404), status(200));
        expect(await send(page, adapter)).toMatchObject({
          status: 404,
          refusal: { refusal: "permanent", attempts: 1 },
        });
      });

      test("a POST that fails with a status is sent once, and twice with the caller's word", async () => {
        for (const [retryBudget, hits] of [
          [{}, 1],
          [{ idempotent: true }, 2],
        ] as const) {
          const { page, site } = await open(status(503), status(200));
          await send(page, adapter, { method: "post", data: "pay", retryBudget });
          expect(site.hits.map(({ body }) => String(body))).toEqual(Array(hits).fill("pay"));
        }
      });

      test("retryBudget: false sends once, and earns and reports nothing", async () => {
        const { page, site } = await open(status(503), status(200));
        const sent = await send(page, adapter, { retryBudget: false });
        expect(sent).toMatchObject({ status: 503, snapshot: [] });
        expect(sent.refusal).toBeUndefined();
        expect(site.hits).toHaveLength(1);
      });

      test("onRetry may change the headers of a retry", async () => {
        const { page, site } = await open(status(503), status(200));
        await page.evaluate(async (adapter) => {
          const { client } = kit.connect(adapter, {
            onRetry: ({ headers }) => (headers as Map<string, string>).set("x-attempt", "2"),
          });
          await client.get("/api");
        }, adapter);
        expect(site.hits.map(({ headers }) => headers["x-attempt"])).toEqual([undefined, "2"]);
      });

      test("another origin's answer that is shared with the page is retried like its own", async () => {
        const { page } = await open();
        const other = await serveSite("", shared(status(503)), shared(status(200)));
        // A browser asks before it sends JSON to another origin; what it asks is no attempt.
        const config = { url: `${other.url}/api`, method: "put", data: { size: 1 } };
        expect(await send(page, adapter, config)).toMatchObject({
          status: 200,
          snapshot: [{ origin: other.url, originals: 1, retries: 1 }],
        });
        expect(other.hits.map(({ method, body }) => `${method} ${body}`)).toEqual(
          Array(2).fill('PUT {"size":1}'),
        );
      });

      test("two attached policies are one loop", async () => {
        const { page, site } = await open(status(503));
        await page.evaluate(async (adapter) => {
          const { client, policy } = kit.connect(adapter);
          kit.retryBudget(client, policy);
          await kit.ended(client.get("/api"));
        }, adapter);
        expect(site.hits).toHaveLength(3);
      });
    });

    test("a stream that a failed attempt has left unread does not keep the next one", async () => {
      const { page, site } = await open(status(503, {}, "x".repeat(1_000_000)), status(200));
      const text = await page.evaluate(async () => {
        const { client } = kit.connect("fetch");
        const { data } = await client.get("/api", { responseType: "stream" });
        return new Response(data).text();
      });
      expect(text).toBe("answer 200");
      expect(site.hits).toHaveLength(2);
    });

    test("an instance that names no adapter sends by the one that axios chooses", async () => {
      const { page, site } = await open(status(503), status(200));
      const { status: last, adapter } = await page.evaluate(async () => {
        const client = kit.axios.create();
        kit.retryBudget(client, { backoff: () => 1 });
        const response = await client.get("/api");
        return { status: response.status, adapter: response.config.adapter };
      });
      expect([last, adapter]).toEqual([200, ["xhr", "http", "fetch"]]);
      expect(site.hits).toHaveLength(2);
    });

    test("the default policy of the page is one for all instances", async () => {
      const { page } = await open(status(200));
      const origins = await page.evaluate(async () => {
        const [one, other] = [kit.axios.create(), kit.axios.create()];
        for (const client of [one, other]) kit.retryBudget(client);
        await Promise.all([one.get("/api?1"), other.get("/api?2")]);
        return kit.defaultRetryPolicy().snapshot();
      });
      expect(origins).toMatchObject([{ originals: 2 }]);
    });
  });
}
