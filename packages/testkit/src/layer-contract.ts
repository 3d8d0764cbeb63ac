import { refusalOf, runInside } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { balanceOf, fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { outerOf } from "./outer-of.js";
import { serve } from "./serve.js";

/** Of layers that retry one inside the other only the outermost does. */
export function layerContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  describe(`${driver.name} is one layer:`, () => {
    test("inside a call that is retried it neither retries nor earns, and says why", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({ initial: 1, ratio: 1 });
      const types: string[] = [];
      policy.subscribe(({ type }) => types.push(type));
      const answer = await runInside(outerOf(), () => client.send(server.url));
      expect(answer).toMatchObject({ status: 503, body: "answer 503" });
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "layer", attempts: 1, balance: 1 });
      expect(server.hits).toHaveLength(1);
      expect(policy.snapshot()).toMatchObject([{ originals: 0, retries: 0, balance: 1 }]);
      expect(types).toEqual(["refused"]);
    });

    test.each(["request", "success"] as const)(
      "inside a call that is retried a success earns nothing, with depositOn: %j",
      async (depositOn) => {
        const server = await serve(ok);
        const { policy, client } = fixture({ initial: 0, ratio: 1, depositOn });
        const answer = await runInside(outerOf(), () => client.send(server.url));
        expect(answer).toMatchObject({ status: 200, body: "answer 200" });
        expect(policy.snapshot()).toMatchObject([{ originals: 0, balance: 0 }]);
      },
    );

    test("inside a call that is not retried, or has ended, it retries as ever", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture();
      await runInside(outerOf({ isRetried: false }), () => client.send(server.url));
      await runInside(outerOf({ isOver: true }), () => client.send(server.url));
      expect(server.hits).toHaveLength(6);
      expect(policy.snapshot()).toMatchObject([{ originals: 2, retries: 4 }]);
    });

    test("with oneLayer: false it retries inside a call that is retried", async () => {
      const server = await serve(unavailable);
      const { policy, client } = fixture({ oneLayer: false });
      const answer = await runInside(outerOf(), () => client.send(server.url));
      expect(refusalOf(answer.result)).toMatchObject({ refusal: "attempts", attempts: 3 });
      expect([server.hits.length, balanceOf(policy)]).toEqual([3, 8]);
    });

    test("two requests at once, one inside and one not, know nothing of each other", async () => {
      const [inner, alone] = [await serve(unavailable), await serve(unavailable)];
      const { client } = fixture();
      await Promise.all([
        runInside(outerOf(), () => client.send(inner.url)),
        client.send(alone.url),
      ]);
      expect([inner.hits.length, alone.hits.length]).toEqual([1, 3]);
    });
  });
}
