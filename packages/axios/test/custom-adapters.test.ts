import { retryBudget } from "@retry-budget/axios";
import { createRetryPolicy, refusalOf } from "@retry-budget/core";
import { serve } from "@retry-budget/testkit";
import { setupCache } from "axios-cache-interceptor";
import MockAdapter from "axios-mock-adapter";
import nock from "nock";
import { expect, onTestFinished, test } from "vitest";
import { bare, errorOf, fixture, ok, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

test.each(["before", "after"])(
  "a mock adapter that is set up %s us is asked for each attempt",
  async (order) => {
    const instance = bare();
    const policy = createRetryPolicy({ backoff: () => 1 });
    if (order === "after") retryBudget(instance, policy);
    const mock = new MockAdapter(instance as never);
    if (order === "before") retryBudget(instance, policy);
    mock
      .onGet("http://a.example/x")
      .replyOnce(503)
      .onGet("http://a.example/x")
      .networkErrorOnce()
      .onGet("http://a.example/x")
      .reply(200, { fine: true });
    expect((await instance.get("http://a.example/x")).data).toEqual({ fine: true });
    expect(mock.history["get"]).toHaveLength(3);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  },
);

test.skipIf(axiosMinor < 19).each(["before", "after"])(
  "a cache that is set up %s us stores what the retry gave, and gives it without us",
  async (order) => {
    const server = await serve(unavailable, ok);
    const bareInstance = bare();
    const policy = createRetryPolicy({ backoff: () => 1 });
    if (order === "after") retryBudget(bareInstance, policy);
    const instance = setupCache(bareInstance);
    if (order === "before") retryBudget(bareInstance, policy);
    const first = await instance.get(server.url);
    const second = await instance.get(server.url);
    expect([first.data, first.cached, second.data, second.cached]).toEqual([
      { fine: true },
      false,
      { fine: true },
      true,
    ]);
    expect(server.hits).toHaveLength(2);
    expect(policy.snapshot()).toMatchObject([{ retries: 1 }]);
  },
);

test("what nock has not been told of is an error of its own, and is not retried (retry-axios #144)", async () => {
  nock.disableNetConnect();
  onTestFinished(() => {
    nock.cleanAll();
    nock.restore();
  });
  nock("http://a.example").get("/x").reply(503).get("/x").reply(200, "fine");
  const { instance, policy } = fixture({}, { httpAgent: undefined });
  expect(await instance.get("http://a.example/x")).toMatchObject({ data: "fine" });
  const error = await errorOf(instance.get("http://a.example/x"));
  expect(error.code).toBe("ERR_NOCK_NO_MATCH");
  expect(refusalOf(error)).toMatchObject({ refusal: "permanent" });
  expect(policy.snapshot()).toMatchObject([{ retries: 1, balance: 9 }]);
});

test("a response whose config cannot be read is the caller's as it is", async () => {
  const given = {
    data: "",
    status: 200,
    statusText: "",
    headers: {},
    get config(): never {
      throw new Error("no config");
    },
  };
  const { instance } = fixture();
  const adapter = async (): Promise<typeof given> => given;
  expect(await instance.get("http://a.example/", { adapter })).toBe(given);
});
