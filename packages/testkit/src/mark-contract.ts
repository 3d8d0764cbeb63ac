import type { Marks } from "@retry-budget/core";
import { describe, expect, test } from "vitest";
import { fixtureOf, ok, unavailable } from "./contract-fixture.js";
import type { Driver } from "./driver.js";
import { type FlakyServer, status } from "./flaky-server.js";
import { serve } from "./serve.js";

const name = "x-attempt";

/** The headers that tell a server of an attempt. */
export function markContract(driver: Driver): void {
  const fixture = fixtureOf(driver);

  const marksFor = ({ url }: FlakyServer): Marks => {
    return ({ origin, attempt }) => (origin === url ? { [name]: `${attempt}` } : undefined);
  };
  const marksAt = ({ hits }: FlakyServer): unknown[] => hits.map(({ headers }) => headers[name]);

  describe(`${driver.name} marks attempts:`, () => {
    test("a server that was named is told the number of each attempt", async () => {
      const server = await serve(unavailable, unavailable, ok);
      const { client } = fixture({ marks: marksFor(server) });
      expect(await client.send(server.url)).toMatchObject({ status: 200 });
      expect(marksAt(server)).toEqual(["1", "2", "3"]);
    });

    test("a mark replaces what the caller has set, in a request that stays as it was", async () => {
      const server = await serve(unavailable, ok);
      const { client } = fixture({ marks: marksFor(server) });
      const headers = { "X-Attempt": "99", "x-own": "kept" };
      expect(await client.send(server.url, { headers })).toMatchObject({ status: 200 });
      expect(marksAt(server)).toEqual(["1", "2"]);
      expect(server.hits.map((hit) => hit.headers["x-own"])).toEqual(["kept", "kept"]);
      expect(headers).toEqual({ "X-Attempt": "99", "x-own": "kept" });
    });

    test("a server that was not named is told nothing, and gets what the caller has set", async () => {
      const [named, other] = [await serve(ok), await serve(unavailable, ok)];
      const { client } = fixture({ marks: marksFor(named) });
      await client.send(named.url);
      await client.send(other.url);
      await client.send(other.url, { headers: { "X-Attempt": "99" } });
      expect([marksAt(named), marksAt(other)]).toEqual([["1"], [undefined, undefined, "99"]]);
    });

    const { followsRedirects = true } = driver;
    test.skipIf(!followsRedirects)("no mark follows a redirect to another origin", async () => {
      const other = await serve(ok);
      const named = await serve(status(302, { location: other.url }));
      const { client } = fixture({ marks: marksFor(named) });
      expect(await client.send(named.url)).toMatchObject({ status: 200 });
      expect([marksAt(named), marksAt(other)]).toEqual([["1"], [undefined]]);
    });
  });
}
