import { serve, status } from "@retry-budget/testkit";
import { request } from "undici";
import { expect, test } from "vitest";
import { budgetedAgent } from "./budgeted-agent.js";

const unavailable = status(503);
const ok = status(200);

/** Sends "pay" and gives the status. */
async function send(url: string, options: object): Promise<number> {
  const { dispatcher } = budgetedAgent();
  const { statusCode, body } = await request(url, { dispatcher, body: "pay", ...options });
  await body.dump();
  return statusCode;
}

test("undici's own word on idempotency opts a POST in, and a PUT out", async () => {
  const server = await serve(unavailable, ok, unavailable, ok);
  expect(await send(server.url, { method: "POST", idempotent: true })).toBe(200);
  expect(await send(server.url, { method: "PUT", idempotent: false })).toBe(503);
});

test.each<[string, unknown]>([
  ["an object", { "idempotency-KEY": "1" }],
  ["a flat array", ["Idempotency-Key", "1"]],
  ["a Map", new Map([["Idempotency-Key", "1"]])],
  ["Headers", new Headers({ "Idempotency-Key": "1" })],
])("an Idempotency-Key in %s opts a POST in", async (_, headers) => {
  const server = await serve(unavailable, ok);
  expect(await send(server.url, { method: "POST", headers })).toBe(200);
  expect(server.hits.map((hit) => hit.headers["idempotency-key"])).toEqual(["1", "1"]);
});

test.each<[string, unknown]>([
  ["undefined", { "idempotency-key": undefined }],
  ["undefined in a list", ["idempotency-key", undefined]],
  ["empty", { "idempotency-key": "" }],
  ["an empty array", { "idempotency-key": [] }],
  ["the value of another header", ["x-note", "Idempotency-Key"]],
])("an Idempotency-Key that is %s does not opt in", async (_, headers) => {
  const server = await serve(unavailable, ok);
  expect(await send(server.url, { method: "POST", headers })).toBe(503);
  expect(server.hits).toHaveLength(1);
});

const readOnce: [string, () => unknown][] = [
  ["entries()", () => new Map([["if-match", '"v1"']]).entries()],
  [
    "a generator",
    () =>
      (function* headers() {
        yield ["if-match", '"v1"'];
      })(),
  ],
];

test.each(readOnce)("headers that can be read once go with every attempt: %s", async (_, make) => {
  const server = await serve(unavailable, ok);
  expect(await send(server.url, { method: "PUT", headers: make() })).toBe(200);
  expect(server.hits.map((hit) => hit.headers["if-match"])).toEqual(['"v1"', '"v1"']);
});

test.each(readOnce)(
  "headers that can be read once reach the server when the request opts out: %s",
  async (_, make) => {
    const server = await serve(unavailable, ok);
    expect(await send(server.url, { method: "PUT", headers: make(), retryBudget: false })).toBe(
      503,
    );
    expect(server.hits.map((hit) => hit.headers["if-match"])).toEqual(['"v1"']);
  },
);
