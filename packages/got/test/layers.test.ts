import {
  type OuterCall,
  outerCall,
  type RetryPolicyOptions,
  refusalOf,
  runInside,
} from "@retry-budget/core";
import { outerOf, type Reply, serve, status, until } from "@retry-budget/testkit";
import got, { type OptionsInit, type Request } from "got";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net, ok, pageOf, unavailable } from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

type Note = (name: string) => void;

/** All of the hooks that run once for each attempt. */
function hooksThat(note: Note): NonNullable<OptionsInit["hooks"]> {
  return {
    beforeRequest: [() => note("beforeRequest")],
    beforeRedirect: [() => note("beforeRedirect")],
    beforeRetry: [() => note("beforeRetry")],
    afterResponse: [
      (response) => {
        note("afterResponse");
        return response;
      },
    ],
  };
}

/** What each hook is inside of. */
function noting(): {
  seen: Map<string, OuterCall | undefined>;
  hooks: NonNullable<OptionsInit["hooks"]>;
} {
  const seen = new Map<string, OuterCall | undefined>();
  return { seen, hooks: hooksThat((name) => void seen.set(name, outerCall())) };
}

test("what the user's hooks do is inside a call that is retried, until that has ended", async () => {
  const target = await serve(unavailable, ok);
  const server = await serve(status(302, { location: target.url }));
  const { client } = fixture();
  const { seen, hooks } = noting();
  await client(server.url, { hooks });
  expect([...seen.keys()].sort()).toEqual([
    "afterResponse",
    "beforeRedirect",
    "beforeRequest",
    "beforeRetry",
  ]);
  for (const outer of seen.values()) {
    expect(outer).toMatchObject({ isRetried: true, isOver: true });
  }
  expect(outerCall()).toBeUndefined();
});

test("a budgeted request in a hook neither earns nor retries, and says why", async () => {
  const [server, token] = [await serve(ok), await serve(unavailable)];
  const { client, policy } = fixture();
  const tokens = fixture({ initial: 5, ratio: 1 });
  let refused: unknown;
  const beforeRequest = [
    async (): Promise<void> => {
      refused = refusalOf(await errorOf(tokens.client(token.url)));
    },
  ];
  await client(server.url, { hooks: { beforeRequest } });
  expect(refused).toMatchObject({ refusal: "layer", attempts: 1 });
  expect(token.hits).toHaveLength(1);
  expect(net(tokens.policy)).toEqual([{ originals: 0, retries: 0, balance: 5 }]);
  expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
});

test("what a hook has started and goes on after the call's end is on its own", async () => {
  const server = await serve(ok);
  const { client } = fixture();
  let late: unknown = "not yet";
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const beforeRequest = [
    () => {
      void ended.then(() => {
        late = outerCall();
      });
    },
  ];
  await client(server.url, { hooks: { beforeRequest } });
  end();
  await until(() => late !== "not yet");
  expect(late).toBeUndefined();
});

test("without a retry to come, or with oneLayer: false, nobody is inside", async () => {
  const server = await serve(ok);
  const cases: [RetryPolicyOptions, OptionsInit][] = [
    [{ maxAttempts: 1 }, {}],
    [{ oneLayer: false }, {}],
    [{}, { retry: { limit: 0 } }],
    [{}, { context: { retryBudget: false } }],
  ];
  for (const [options, own] of cases) {
    const { client } = fixture(options);
    const { seen, hooks } = noting();
    await client(server.url, { hooks, ...own });
    expect(seen.get("beforeRequest")).toBeUndefined();
  }
});

test("listeners of a stream, and who awaits a promise, are not inside", async () => {
  const server = await serve(ok);
  const { client } = fixture();
  const { hooks } = noting();
  const seen: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const stream = client.stream(server.url, { hooks }) as Request;
    stream.on("response", () => seen.push(outerCall()));
    stream.on("data", () => seen.push(outerCall()));
    stream.on("error", reject);
    stream.on("end", () => {
      seen.push(outerCall());
      resolve();
    });
  });
  await client(server.url, { hooks });
  seen.push(outerCall());
  await client(server.url, { hooks }).then(() => seen.push(outerCall()));
  expect(seen).toEqual(Array(5).fill(undefined));
});

test("a page is a call of its own, and what is done with it is not inside", async () => {
  const server = await serve(ok);
  const { client, policy } = fixture();
  const { hooks, seen } = noting();
  const between: unknown[] = [];
  let pages = 0;
  const pagination = {
    transform: () => {
      between.push(outerCall());
      return [1];
    },
    paginate: () => (++pages === 1 ? { url: new URL(server.url) } : false),
  };
  await client.paginate.all(server.url, { hooks, pagination } as never);
  expect(between).toEqual([undefined, undefined]);
  expect(seen.get("beforeRequest")).toMatchObject({ isRetried: true });
  expect(net(policy)).toEqual([{ originals: 2, retries: 0, balance: 10 }]);
});

test("the user's hooks run once for each attempt, also on a next page and with options of an earlier request", async () => {
  const server = await serve(ok);
  const { client } = fixture();
  const runs: string[] = [];
  let pages = 0;
  const pagination = {
    transform: () => [1],
    // The very options of the request that was made.
    paginate: (given: unknown) => ++pages < 3 && pageOf(given).request.options,
  };
  const hooks = hooksThat((name) => void runs.push(name));
  await client.paginate.all(server.url, { hooks, pagination } as never);
  const perPage = ["beforeRequest", "afterResponse"];
  expect(runs).toEqual([...perPage, ...perPage, ...perPage]);
});

test("around it a layer that retries makes three attempts of it at most", async () => {
  const server = await serve(unavailable);
  const { client } = fixture();
  let error: unknown;
  for (let attempt = 1; attempt <= 3; attempt++) {
    error = await runInside(outerOf({ attempt }), () => errorOf(client(server.url)));
  }
  expect(refusalOf(error)).toMatchObject({ refusal: "layer", attempts: 1 });
  expect(server.hits).toHaveLength(3);
});

test("two requests at once know nothing of each other", async () => {
  const server = await serve(ok);
  const { client } = fixture();
  const { seen, hooks } = noting();
  const outers: unknown[] = [];
  const plain = got.extend({ hooks: { beforeRequest: [() => void outers.push(outerCall())] } });
  await Promise.all([client(server.url, { hooks }), plain(server.url), plain(server.url)]);
  expect([seen.get("beforeRequest")?.isRetried, outers]).toEqual([true, [undefined, undefined]]);
});

test.skipIf(gotMajor === 11)("an abort in flight ends the call, and what is inside", async () => {
  const never: Reply = () => undefined;
  const server = await serve(never);
  const { client } = fixture();
  const { seen, hooks } = noting();
  const controller = new AbortController();
  const error = errorOf(client(server.url, { hooks, signal: controller.signal }));
  await server.received(1);
  expect(seen.get("beforeRequest")?.isOver).toBe(false);
  controller.abort();
  await error;
  expect(seen.get("beforeRequest")?.isOver).toBe(true);
});
