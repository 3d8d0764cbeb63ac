import type { RequestListener } from "node:http";
import { createIncoming, forNode, outgoing, type Preset, readMarks } from "@retry-budget/context";
import { createRetryPolicy, type RetryPolicy } from "@retry-budget/core";
import { serve, status } from "@retry-budget/testkit";
import { expect, test } from "vitest";
import { backend, listening } from "./fixture.js";

/** A client that owns its loop, as an adapter does, and fails with every answer from 500. */
async function send(policy: RetryPolicy, url: string): Promise<number> {
  const call = policy.call({ client: "fetch", method: "GET", url, isReplayable: () => true });
  if (call === undefined || call.begin() !== undefined) throw new Error("not to be sent");
  for (;;) {
    const sending = fetch(url, { headers: call.marks(url) ?? {} });
    call.sent();
    const response = await sending;
    await response.arrayBuffer();
    if (call.settle({ status: response.status })?.retry !== true) return response.status;
    await call.sleep();
    if (!(await call.prepare())) return response.status;
  }
}

const backoff = { base: 5, jitter: "none" } as const;

test("STD-23: an attempt has no header, unless its origin was named: then 1, 2, 3", async () => {
  const [named, other] = [await serve(status(503)), await serve(status(503))];
  const marks = outgoing({ origins: [named.url] });
  await send(createRetryPolicy({ backoff }), named.url);
  await send(createRetryPolicy({ backoff, marks }), named.url);
  await send(createRetryPolicy({ backoff, marks }), other.url);
  const attempts = named.hits.map(({ headers }) => headers["retry-budget-attempt"]);
  expect(attempts).toEqual([undefined, undefined, undefined, "1", "2", "3"]);
  const names = other.hits.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith("retry-budget"))).toEqual([]);
});

test.each([undefined, "envoy", "grpc", "aws"] as (Preset | undefined)[])(
  "STD-25: the deadline falls from attempt to attempt, with preset %s",
  async (preset) => {
    const server = await serve(status(503));
    const marks = outgoing({ origins: [server.url], preset });
    await send(createRetryPolicy({ backoff, deadline: 1000, marks }), server.url);
    const presets = preset === undefined ? [] : [preset];
    const read = server.hits.map(({ headers }) => readMarks(headers, { presets }));
    expect(read).toMatchObject([
      { isRetried: true },
      { attempt: 2, isRetried: true },
      { attempt: 3, isRetried: true },
    ]);
    const [first = 0, second = 0, third = 0] = read.map(({ remaining }) => remaining);
    expect(first).toBeLessThanOrEqual(1000);
    expect(second).toBeLessThan(first);
    expect(third).toBeLessThan(second);
  },
);

test("STD-25: no attempt is begun that would have less than it needs", async () => {
  const server = await serve(status(503));
  const marks = outgoing({ origins: [server.url] });
  const policy = createRetryPolicy({ backoff, deadline: 1000, minAttemptTime: 999, marks });
  await send(policy, server.url);
  expect(server.hits.length).toBe(1);
});

test("of two services in a row one retries: 3 requests at the last one and not 9", async () => {
  const count = async (incoming: boolean) => {
    const { server, get } = await backend();
    const listener: RequestListener = async (_, response) => {
      await get();
      response.writeHead(503).end();
    };
    const port = await listening(incoming ? forNode(createIncoming(), listener) : listener);
    const url = `http://127.0.0.1:${port}`;
    await send(createRetryPolicy({ backoff, marks: outgoing({ origins: [url] }) }), url);
    return server.hits.length;
  };
  expect([await count(false), await count(true)]).toEqual([9, 3]);
});
