import { Readable } from "node:stream";
import { refusalOf } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { reset } from "./flaky-server.js";
import { refusingUrl } from "./refusing-url.js";
import { serve } from "./serve.js";

/** Methods and bodies. */
export function repeatContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  describe(`${driver.name} sends nothing twice that must not be:`, () => {
    test("a POST that fails after it was sent is sent once", async () => {
      for (const reply of [unavailable, reset()]) {
        const server = await serve(reply, ok);
        const { policy, client } = fixture();
        const answer = await client.send(server.url, { method: "POST", body: "pay" });
        expect(refusalOf(answer.result)).toMatchObject({ refusal: "method" });
        expect([server.hits.length, balanceOf(policy)]).toEqual([1, 10]);
      }
    });

    test("a POST whose connection is refused was never sent, and may be tried again", async () => {
      const { client } = fixture();
      const answer = await client.send(await refusingUrl(), { method: "POST", body: "pay" });
      expect(answer.failed).toBe(true);
      expect(refusalOf(answer.result)).toMatchObject(
        driver.reissuesPost
          ? { refusal: "attempts", attempts: 3 }
          : { refusal: "permanent", attempts: 1 },
      );
    });

    test("a POST that the caller calls idempotent is sent again in full", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const retryBudget = { idempotent: true };
      const answer = await client.send(server.url, { method: "POST", body: "pay", retryBudget });
      expect(answer.status).toBe(driver.reissuesPost ? 200 : 503);
      expect(server.hits.map(({ body }) => String(body))).toEqual(
        driver.reissuesPost ? ["pay", "pay"] : ["pay"],
      );
    });

    test("an Idempotency-Key of the caller's counts as such a word, and an option turns that off", async () => {
      for (const [idempotencyKey, hits] of [
        [true, driver.reissuesPost ? 2 : 1],
        [false, 1],
      ] as const) {
        const server = await serve(unavailable, ok);
        const { client } = fixture({ idempotencyKey });
        const headers = { "Idempotency-Key": '"8e03978e"' };
        await client.send(server.url, { method: "POST", body: "pay", headers });
        expect(server.hits).toHaveLength(hits);
        expect(new Set(server.hits.map((hit) => hit.headers["idempotency-key"])).size).toBe(1);
      }
    });

    test("a GET that the caller calls not idempotent is sent once", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const answer = await client.send(server.url, { retryBudget: { idempotent: false } });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "method" });
      expect(server.hits).toHaveLength(1);
    });

    test("a PUT with a text is sent again, byte for byte", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture();
      const body = "größer ".repeat(1000);
      expect(await client.send(server.url, { method: "PUT", body })).toMatchObject({ status: 200 });
      expect(server.hits.map((hit) => String(hit.body))).toEqual([body, body]);
    });

    test("a PUT with a stream is sent once, and its failure is the caller's", async () => {
      const server = await serve(unavailable, ok);
      const { policy, client } = fixture();
      const answer = await client.send(server.url, {
        method: "PUT",
        body: Readable.from(["chunk"]),
      });
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "body" });
      expect(server.hits.map((hit) => String(hit.body))).toEqual(["chunk"]);
      expect(balanceOf(policy)).toBe(10);
    });
  });
}
