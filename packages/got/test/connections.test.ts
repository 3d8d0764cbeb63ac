import { hang, refusingUrl, reset, serve, until } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { errorOf, failOnStrayErrors, fixture, net } from "./fixture.js";
import { failsTwiceWhenRefused } from "./got-version.js";

failOnStrayErrors();

test.skipIf(failsTwiceWhenRefused)(
  "got-28: a refused connection is three attempts, and the error is got's own",
  async () => {
    const { client, policy } = fixture();
    const error = await errorOf(client(await refusingUrl()));
    expect(error).toMatchObject({ name: "RequestError", code: "ECONNREFUSED" });
    expect(net(policy)).toEqual([{ originals: 1, retries: 2, balance: 8 }]);
  },
);

test("got-29: a connection that is destroyed: a GET thrice, a POST once (#1671)", async () => {
  const { client, policy } = fixture();
  const [get, post] = [await serve(reset()), await serve(reset())];
  await errorOf(client(get.url));
  await errorOf(client.post(post.url, { body: "x" }));
  expect([get.hits.length, post.hits.length]).toEqual([3, 1]);
  expect(net(policy)).toEqual([
    { originals: 1, retries: 2, balance: 8 },
    { originals: 1, retries: 0, balance: 10 },
  ]);
});

test.runIf(failsTwiceWhenRefused)(
  "got-28: where got fails twice of a refused connection the token is given back, and the process goes on (#2469, #1489)",
  async () => {
    const { client, policy } = fixture();
    const error = await errorOf(
      client(await refusingUrl(), { retry: { calculateDelay: () => 50 } }),
    );
    expect(error).toMatchObject({ name: "Error", code: "ERR_SOCKET_CLOSED_BEFORE_CONNECTION" });
    await until(() => policy.snapshot()[0]?.balance === 10);
    // Longer than the backoff, after which got before 14.6 would end the process.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(net(policy)).toEqual([{ originals: 1, retries: 0, balance: 10 }]);
  },
);

test("got-30: each attempt has got's own timeout, and each retry pays", async () => {
  const server = await serve(hang());
  const { client, policy } = fixture();
  const error = await errorOf(client(server.url, { timeout: { request: 200 } }));
  expect(error).toMatchObject({ name: "TimeoutError" });
  expect([server.hits.length, net(policy)]).toEqual([
    3,
    [{ originals: 1, retries: 2, balance: 8 }],
  ]);
});
