import { serve, status } from "@retry-budget/testkit";
import type { AxiosHeaders } from "axios";
import { expect, test } from "vitest";
import { errorOf, fixture, ok, unavailable } from "./attached.js";

test("onRetry may change the headers of the retry, after a wait of its own (axios-retry #162)", async () => {
  const server = await serve(unavailable, unavailable, ok);
  const { instance } = fixture({
    onRetry: async ({ attempt, headers }) => {
      await Promise.resolve();
      (headers as AxiosHeaders).set("authorization", `Bearer ${attempt}`);
    },
  });
  await instance.get(server.url, { headers: { authorization: "Bearer 1" } });
  expect(server.hits.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer 1",
    "Bearer 2",
    "Bearer 3",
  ]);
});

test("onRetry sees the attempt, the wait, the failure and the headers (axios-retry #25, #91, #186, retry-axios #135)", async () => {
  const server = await serve(unavailable, status(502), ok);
  const seen: unknown[] = [];
  const { instance } = fixture({
    backoff: (attempt) => attempt,
    onRetry: ({ attempt, delay, outcome, headers, origin, method, client }) => {
      const { response } = Object(outcome.error);
      const own = (headers as AxiosHeaders).get("x-a");
      seen.push([attempt, delay, outcome.status, response.status, own, origin, method, client]);
      // As a request header, for those who want the server to see it.
      (headers as AxiosHeaders).set("x-attempt", String(attempt));
    },
  });
  await instance.get(server.url, { headers: { "x-a": "1" } });
  expect(seen).toEqual([
    [2, 1, 503, 503, "1", server.url, "GET", "axios"],
    [3, 2, 502, 502, "1", server.url, "GET", "axios"],
  ]);
  expect(server.hits.map(({ headers }) => headers["x-attempt"])).toEqual([undefined, "2", "3"]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no token");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no token"))],
])(
  "an onRetry that %s gives the retry up: the failure is the caller's, and the token goes back",
  async (_, onRetry) => {
    const server = await serve(unavailable);
    const { instance, policy } = fixture({ onRetry });
    const error = await errorOf(instance.get(server.url));
    expect([error.response?.status, error.response?.data]).toEqual([503, "answer 503"]);
    expect(server.hits).toHaveLength(1);
    expect(policy.snapshot()).toMatchObject([{ balance: 10, refusals: { aborted: 1 } }]);
  },
);

test("an abort while onRetry is at work ends the call at once", async () => {
  const server = await serve(unavailable);
  const aborting = new AbortController();
  const { instance, policy } = fixture({
    onRetry: () => {
      aborting.abort();
      return new Promise(() => undefined);
    },
  });
  const error = await errorOf(instance.get(server.url, { signal: aborting.signal }));
  expect(error.code).toBe("ERR_CANCELED");
  expect([server.hits.length, policy.snapshot()[0]?.balance]).toEqual([1, 10]);
});
