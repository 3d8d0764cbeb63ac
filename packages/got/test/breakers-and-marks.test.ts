import { type Marks, refusalOf } from "@retry-budget/core";
import { type FlakyServer, serve, status, ToldBreaker, until } from "@retry-budget/testkit";
import got, { type OptionsInit, type Request, RequestError, type Response } from "got";
import { describe, expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, pageOf, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";
import { finish, readWithRetries } from "./streams.js";

failOnStrayErrors();

describe("an open circuit:", () => {
  const withOpen = () => {
    const breaker = new ToldBreaker();
    breaker.isOpen = true;
    return { breaker, ...fixture({ breakers: { of: () => breaker } }) };
  };

  test.each([
    ["a GET", {}],
    ["a POST", { method: "POST", body: "text" }],
    ["one with a cache", { cache: new Map() }],
    ["one that got would retry for the breaker's code", { retry: { errorCodes: ["EOPEN"] } }],
  ] as [string, OptionsInit][])(
    "%s fails with a RequestError that is of the breaker's error, once, and nothing goes out",
    async (_, options) => {
      const server = await serve(ok);
      // The socket is there to be used again.
      await got(server.url);
      const { breaker, client, policy } = withOpen();
      Object.assign(breaker.error, { code: "EOPEN" });
      const error = await errorOf(client(server.url, options) as Promise<unknown>);
      expect(error).toBeInstanceOf(RequestError);
      expect(error).toMatchObject({ message: "the circuit is open", code: "EOPEN" });
      // Before 14 got has no causes.
      if (gotMajor > 13) expect(error.cause).toBe(breaker.error);
      expect(refusalOf(error)).toMatchObject({ refusal: "breaker", attempts: 0 });
      expect([server.hits.length, breaker.told, net(policy)]).toEqual([
        1,
        [],
        [{ originals: 0, retries: 0, balance: 10 }],
      ]);
    },
  );

  test("a stream fails so, too", async () => {
    const server = await serve(ok);
    const { client } = withOpen();
    const error = await finish(client.stream(server.url));
    expect(error).toBeInstanceOf(RequestError);
    expect(refusalOf(error)).toMatchObject({ refusal: "breaker", attempts: 0 });
    expect(server.hits).toHaveLength(0);
  });
});

describe("a breaker is told once", () => {
  const told = async (
    work: (client: ReturnType<typeof fixture>["client"], url: string) => Promise<unknown>,
    ...replies: Parameters<typeof serve>
  ): Promise<string[]> => {
    const server = await serve(...replies);
    const breaker = new ToldBreaker();
    const { client } = fixture({ breakers: { of: () => breaker } });
    await work(client, server.url);
    await until(() => breaker.told.length > 0);
    return breaker.told;
  };

  test("of a status that is the caller's by throwHttpErrors: false", async () => {
    const own = { throwHttpErrors: false };
    expect(await told((client, url) => client(url, own), status(404))).toEqual(["success"]);
    expect(await told((client, url) => client.post(url, own), unavailable)).toEqual(["failure"]);
  });

  test("of a stream that was read, and of one that its caller has destroyed", async () => {
    expect(await told((client, url) => finish(client.stream(url)), ok)).toEqual(["success"]);
    const destroyed = await told(
      (client, url) => {
        const stream = client.stream(url);
        stream.on("response", () => stream.destroy());
        return finish(stream);
      },
      (response) => void response.writeHead(200).write("begin"),
    );
    expect(destroyed).toEqual(["nothing"]);
  });

  test.skipIf(gotMajor === 11)(
    "of nothing, where an abort in a hook came before it was asked",
    async () => {
      const server = await serve(ok);
      const breaker = new ToldBreaker();
      const { client } = fixture({ breakers: { of: () => breaker } });
      const controller = new AbortController();
      const beforeRequest = [() => controller.abort()];
      const own = { signal: controller.signal, hooks: { beforeRequest } };
      expect(await errorOf(client(server.url, own))).toMatchObject({ name: "AbortError" });
      expect([breaker.passed, breaker.told, server.hits.length]).toEqual([0, [], 0]);
    },
  );

  test.skipIf(gotMajor === 11)("of each attempt of a stream", async () => {
    const words = await told((client, url) => readWithRetries(client, url), unavailable, ok);
    expect(words).toEqual(["failure", "success"]);
  });

  test.skipIf(gotMajor === 11)("of a cache that has answered", async () => {
    const cache = new Map();
    const fresh = status(200, { "cache-control": "max-age=60" });
    const words = await told(async (client, url) => {
      await client(url, { cache });
      await client(url, { cache });
    }, fresh);
    expect(words).toEqual(["success", "nothing"]);
  });
});

describe("marks", () => {
  const name = "x-attempt";
  const marksFor = (...servers: FlakyServer[]): Marks => {
    return ({ origin, attempt }) =>
      servers.some(({ url }) => url === origin) ? { [name]: `${attempt}` } : undefined;
  };
  const at = ({ hits }: FlakyServer): unknown[] => hits.map(({ headers }) => headers[name]);

  test("are set for each hop, and taken off where there are none", async () => {
    const last = await serve(unavailable, ok);
    const other = await serve(status(302, { location: last.url }));
    const first = await serve(status(302, { location: other.url }));
    const { client } = fixture({ marks: marksFor(first, last) });
    await client(first.url);
    expect([at(first), at(other), at(last)]).toEqual([["1"], [undefined], ["1", "2"]]);
  });

  test("put back what they took the place of, for a hop without them", async () => {
    const other = await serve(ok);
    const first = await serve(status(302, { location: other.url }));
    const { client } = fixture({ marks: marksFor(first) });
    await client(first.url, { headers: { "X-Attempt": "own" } });
    expect([at(first), at(other)]).toEqual([["1"], ["own"]]);
  });

  test("are on each attempt of a stream", async () => {
    const server = await serve(...(gotMajor > 11 ? [unavailable, ok] : [ok]));
    const { client } = fixture({ marks: marksFor(server) });
    await (gotMajor > 11 ? readWithRetries(client, server.url) : finish(client.stream(server.url)));
    expect(at(server)).toEqual(gotMajor > 11 ? ["1", "2"] : ["1"]);
  });

  test("are not in what the user's hooks and listeners see while the attempt is under way", async () => {
    const last = await serve(ok);
    const first = await serve(status(302, { location: last.url }));
    const { client } = fixture({ marks: marksFor(first, last) });
    const seen: unknown[] = [];
    const beforeRedirect = [
      ({ headers }: { headers: Record<string, unknown> }) => void seen.push(headers[name]),
    ];
    const afterResponse = [
      (response: Response) => {
        seen.push(response.request.options.headers[name]);
        return response;
      },
    ];
    await client(first.url, { hooks: { beforeRedirect, afterResponse } });
    const stream = client.stream(first.url, { hooks: { beforeRedirect } }) as Request;
    stream.on("response", () => seen.push(stream.options.headers[name]));
    await finish(stream);
    expect(seen).toEqual(Array(4).fill(undefined));
    expect([at(first), at(last)]).toEqual([
      ["1", "1"],
      ["1", "1"],
    ]);
  });

  test("are not in what an answer or an error shows, nor in what the next page inherits", async () => {
    const other = await serve(ok);
    const server = await serve(ok, unavailable);
    const { client } = fixture({ marks: marksFor(server) });
    const response = await client(server.url);
    expect(response.request.options.headers[name]).toBeUndefined();
    const error = await errorOf(client(server.url));
    expect(error.options.headers[name]).toBeUndefined();
    let pages = 0;
    const pagination = {
      transform: () => [1],
      paginate: (given: unknown) => {
        if (++pages > 1) return false;
        const { options } = pageOf(given).request;
        options.url = new URL(other.url);
        return options;
      },
    };
    await client.paginate.all(server.url, { pagination, throwHttpErrors: false } as never);
    expect(at(other)).toEqual([undefined]);
  });
});
