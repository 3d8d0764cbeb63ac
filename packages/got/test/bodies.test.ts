import { Readable } from "node:stream";
import { refusalOf } from "@retry-budget/core";
import { type FlakyServer, serve } from "@retry-budget/testkit";
import type { OptionsInit } from "got";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, unavailable } from "./fixture.js";
import { gotMajor, hangsOnFreshStream } from "./got-version.js";

failOnStrayErrors();

const bodies = ({ hits }: FlakyServer): string[] => hits.map(({ body }) => String(body));
/** A hook that supplies the body of each retry; got 11 hands it the options first. */
const supplying = (body: () => unknown) => (given: object) => {
  const { options = given }: { options?: object } = given;
  Object.assign(options, { body: body() });
};

test("got-17: a stream body is sent once, and the message is got's own (#1382)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const error = await errorOf(client.put(server.url, { body: Readable.from(["chunk"]) }));
  expect(error.message).not.toContain("consumed");
  expect(refusalOf(error)).toMatchObject({ refusal: "body" });
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test("got-18: a stream that the user's beforeRetry supplies afresh is sent in full, where got does not hang on it (#1500, #2073)", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const fresh = (): Readable => Readable.from(["chunk"]);
  const hooks = { beforeRetry: [supplying(fresh)] };
  const error = await errorOf(client.put(server.url, { body: fresh(), hooks }));
  if (hangsOnFreshStream) {
    expect(refusalOf(error)).toMatchObject({ refusal: "body" });
    expect(bodies(server)).toEqual(["chunk"]);
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
    return;
  }
  expect(bodies(server)).toEqual(["chunk", "chunk", "chunk"]);
  expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
});

test.skipIf(gotMajor === 11)(
  "got-19: native FormData is sent again by got 16; on older ones, which hang or give up, it is sent once (#1282, #1691)",
  async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const body = new FormData();
    body.set("field", "value");
    const error = await errorOf(client.put(server.url, { body: body as never }));
    if (gotMajor < 16) {
      expect(refusalOf(error)).toMatchObject({ refusal: "body" });
      expect(server.hits).toHaveLength(1);
      expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
      return;
    }
    // Each with a boundary of its own.
    const parts = bodies(server).map((sent) => sent.replaceAll(/-{2,}[\w-]+/g, "boundary"));
    expect(parts).toHaveLength(3);
    expect(new Set(parts).size).toBe(1);
    expect(parts[0]).toContain("value");
    expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
  },
);

test.runIf(gotMajor === 11)(
  "got-19: native FormData is for got 11 no body at all: its error comes at once, and nothing is sent",
  async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const error = await errorOf(client.put(server.url, { body: new FormData() as never }));
    expect(error.message).toContain("The `body` option must be");
    expect([server.hits.length, net(policy)]).toEqual([
      0,
      [{ originals: 0, retries: 0, balance: 10 }],
    ]);
  },
);

test.skipIf(gotMajor < 14)(
  "a generator is sent once, also where a hook watches the retries: got would send an empty body",
  async () => {
    function* generate(): Generator<string> {
      yield "chunk";
    }
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    const hooks = { beforeRetry: [() => undefined] };
    const error = await errorOf(client.put(server.url, { body: generate() as never, hooks }));
    expect(refusalOf(error)).toMatchObject({ refusal: "body" });
    expect([bodies(server), net(policy)]).toEqual([
      ["chunk"],
      [{ originals: 1, retries: 0, balance: 10 }],
    ]);
  },
);

test("a stream body that a beforeRetry hook only watches costs nothing, and the error is got's own", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const hooks = { beforeRetry: [() => undefined] };
  const error = await errorOf(client.put(server.url, { body: Readable.from(["x"]), hooks }));
  // got 11 leaves the message as it is, and where a fresh one would hang none is asked for.
  const isRewritten = gotMajor > 11 && !hangsOnFreshStream;
  expect(error.message.includes("consumed")).toBe(isRewritten);
  expect([server.hits.length, net(policy)]).toEqual([
    1,
    [{ originals: 1, retries: 0, balance: 10 }],
  ]);
});

test.each<[string, OptionsInit]>([
  ["a string", { body: "text" }],
  ["a Buffer", { body: Buffer.from("text") }],
  ["json", { json: { a: 1 } }],
  ["form", { form: { a: "1" } }],
])("got-20: a POST that got is told to retry sends %s again, byte for byte", async (_, body) => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  await errorOf(
    client.post(server.url, { ...body, retry: { methods: ["POST"] } }) as Promise<unknown>,
  );
  const sent = bodies(server);
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).not.toBe("");
  expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
});
