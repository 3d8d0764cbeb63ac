import { retryBudget } from "@retry-budget/axios";
import { serve } from "@retry-budget/testkit";
import axios from "axios";
import { describe, expect, test } from "vitest";
import { bare, errorOf, fixture, unavailable } from "./attached.js";
import { axiosMinor } from "./axios-version.js";

describe("attaching", () => {
  test("twice doubles nothing", async () => {
    const server = await serve(unavailable);
    const { instance, policy } = fixture();
    retryBudget(instance, policy);
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(3);
    expect(policy.snapshot()).toMatchObject([{ originals: 1, retries: 2 }]);
  });

  test("gives detach(), after which the instance is bare again", async () => {
    const server = await serve(unavailable);
    const { instance, attachment } = fixture();
    const running = errorOf(instance.get(server.url));
    attachment.detach();
    await running;
    expect(server.hits).toHaveLength(3);
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(4);
  });

  test.each([["a string"], [null], [undefined], [{}], [{ interceptors: {} }], [() => undefined]])(
    "to %s is a TypeError at set-up",
    (instance) => {
      expect(() => retryBudget(instance as never)).toThrow(TypeError);
      expect(() => retryBudget(instance as never)).toThrow(
        "Expected `instance` to be axios or an instance",
      );
    },
  );

  test("with bad options or a bad getAdapter is a TypeError at set-up, and attaches nothing", async () => {
    const server = await serve(unavailable);
    const instance = bare();
    expect(() => retryBudget(instance, { ratio: -1 })).toThrow("`ratio`");
    expect(() => retryBudget(instance, {}, { getAdapter: "http" })).toThrow(
      "`settings.getAdapter`",
    );
    await errorOf(instance.get(server.url));
    expect(server.hits).toHaveLength(1);
  });
});

test.each([[null], ["text"], [{ misspelt: 1 }]])(
  "settings of %j are a TypeError at set-up",
  (settings) => {
    expect(() => retryBudget(bare(), {}, settings as never)).toThrow(TypeError);
  },
);

test.skipIf(axiosMinor < 7)("getAdapter that is an adapter is a TypeError at set-up", () => {
  const getAdapter = axios.getAdapter("http");
  expect(() => retryBudget(bare(), {}, { getAdapter })).toThrow("`settings.getAdapter`");
});

test("ejecting our interceptors by hand is detaching: calls begun before end as they would", async () => {
  const server = await serve(unavailable);
  const { instance } = fixture();
  const running = errorOf(instance.get(server.url));
  instance.interceptors.request.eject(0);
  instance.interceptors.response.eject(0);
  await running;
  expect(server.hits).toHaveLength(3);
  await errorOf(instance.get(server.url));
  expect(server.hits).toHaveLength(4);
});
