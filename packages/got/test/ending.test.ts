import { setImmediate } from "node:timers/promises";
import { refusalOf } from "@retry-budget/core";
import { hang, serve, until } from "@retry-budget/testkit";
import got, { HTTPError, type OptionsInit } from "got";
import { expect, onTestFinished, test } from "vitest";
import {
  abortable,
  abortName,
  errorOf,
  failOnStrayErrors,
  fixture,
  net,
  unavailable,
} from "./fixture.js";
import { gotMajor } from "./got-version.js";

failOnStrayErrors();

const slow: OptionsInit = { retry: { calculateDelay: () => 500 } };
const untouched = [{ originals: 1, retries: 0, balance: 10 }];

/** A beforeError hook that notes what it sees. */
function noting(seen: unknown[]): OptionsInit {
  const note = (failure: Error): never => {
    seen.push(failure.name);
    return failure as never;
  };
  return { hooks: { beforeError: [note] } };
}

test.skipIf(gotMajor === 11)(
  "got-14: an abort in the backoff ends the request at once, gives the token back, and no late request comes",
  async () => {
    const server = await serve(unavailable);
    const { plugin, policy } = fixture();
    const { error, abort } = abortable(got.extend(plugin), server.url, slow);
    await until(() => policy.snapshot()[0]?.balance === 9);
    abort();
    expect(await error).toMatchObject({ name: "AbortError" });
    await until(() => policy.snapshot()[0]?.balance === 10);
    // Longer than the backoff.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([server.hits.length, net(policy)]).toEqual([1, untouched]);
  },
);

test.skipIf(gotMajor > 14)(
  "got-15: cancel() in the backoff gives the token back (got 15 has no cancel)",
  async () => {
    const server = await serve(unavailable);
    const { plugin, policy } = fixture();
    const promise = got.extend(plugin)(server.url, { retry: { calculateDelay: () => 10_000 } });
    const error = errorOf(promise);
    await until(() => policy.snapshot()[0]?.balance === 9);
    promise.cancel();
    expect(await error).toMatchObject({ name: "CancelError" });
    await until(() => policy.snapshot()[0]?.balance === 10);
    expect(server.hits).toHaveLength(1);
  },
);

test("got-16: a beforeRetry of the user's that throws gives the token back", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const mine = (): never => {
    throw new Error("mine");
  };
  const error = await errorOf(client(server.url, { hooks: { beforeRetry: [mine] } }));
  expect(error.message).toBe("mine");
  await until(() => policy.snapshot()[0]?.balance === 10);
  expect(net(policy)).toEqual(untouched);
});

// got 11 tells no hook of this error: the token is lost.
test.skipIf(gotMajor === 11)(
  "a beforeRequest of the user's that throws before the retry is sent gives the token back",
  async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    let requests = 0;
    const failingOnRetry = (): void => {
      if (++requests > 1) throw new Error("no token for the retry");
    };
    const error = await errorOf(client(server.url, { hooks: { beforeRequest: [failingOnRetry] } }));
    expect(error.message).toBe("no token for the retry");
    expect([server.hits.length, net(policy)]).toEqual([1, untouched]);
  },
);

test.skipIf(gotMajor === 11)(
  "an abort while a beforeRequest of the user's prepares the retry gives the token back, and leaves no listener",
  async () => {
    const server = await serve(unavailable);
    const { client, policy } = fixture();
    let requests = 0;
    let ready = (): void => undefined;
    onTestFinished(() => ready());
    const slowOnRetry = (): Promise<void> | undefined => {
      if (++requests === 1) return undefined;
      return new Promise((resolve) => {
        ready = resolve;
      });
    };
    const hooks = { beforeRequest: [slowOnRetry] };
    const { error, abort } = abortable(client, server.url, { hooks });
    await until(() => requests === 2);
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 9 }]);
    abort();
    expect(await error).toMatchObject({ name: abortName });
    ready();
    await setImmediate();
    expect([server.hits.length, net(policy)]).toEqual([1, untouched]);
  },
);

test.skipIf(gotMajor === 11)("a beforeRetry of the user's that aborts costs nothing", async () => {
  const server = await serve(unavailable);
  const { client, policy } = fixture();
  const controller = new AbortController();
  const hooks = { beforeRetry: [() => controller.abort()] };
  await errorOf(client(server.url, { signal: controller.signal, hooks }));
  expect([server.hits.length, net(policy)]).toEqual([1, untouched]);
});

test("got-26: .json() on a refused 503 is one rejection (#2196)", async () => {
  const server = await serve(unavailable);
  const { client } = fixture({ initial: 0 });
  const error = await errorOf(client(server.url).json());
  expect(error).toBeInstanceOf(HTTPError);
});

test("got-31: a deadline spans the attempts, and nothing is spent for the refused one (#602, #779, #927, #2332)", async () => {
  const server = await serve(hang());
  const { client, policy } = fixture({ deadline: 1000 });
  const error = await errorOf(client(server.url, { timeout: { request: 600 } }));
  expect(refusalOf(error)).toMatchObject({ refusal: "deadline", attempts: 2 });
  expect(net(policy)).toEqual([{ originals: 1, retries: 1, balance: 9 }]);
});

test("a deadline further off than timers reach leaves a slow answer its time", async () => {
  const server = await serve((response) => setTimeout(() => response.end(), 50));
  const { client } = fixture({ deadline: 2 ** 32 });
  expect(await client(server.url)).toMatchObject({ statusCode: 200 });
  expect(server.hits).toHaveLength(1);
});

test("an abort during onRetry runs no beforeError hook and leaves no retry behind", async () => {
  const server = await serve(unavailable);
  let asked = false;
  const { client, policy } = fixture({
    onRetry: () => {
      asked = true;
      return new Promise(() => undefined);
    },
  });
  const seen: unknown[] = [];
  const { error, abort } = abortable(client, server.url, noting(seen));
  await until(() => asked);
  abort();
  expect(await error).toMatchObject({ name: abortName });
  await until(() => policy.snapshot()[0]?.balance === 10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([server.hits.length, seen]).toEqual([1, []]);
});

test("an abort while calculateDelay thinks runs no beforeError hook", async () => {
  const server = await serve(unavailable);
  const { plugin } = fixture();
  const seen: unknown[] = [];
  let end = (): void => undefined;
  const calculateDelay = async (): Promise<number> => {
    end();
    await setImmediate();
    return 5;
  };
  const options = { ...noting(seen), retry: { calculateDelay } };
  const { error, abort } = abortable(got.extend(plugin), server.url, options);
  end = abort;
  expect(await error).toMatchObject({ name: abortName });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toEqual([]);
});
