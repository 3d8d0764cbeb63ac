import { once } from "node:events";
import { type ServerResponse, request as send } from "node:http";
import { text } from "node:stream/consumers";
import type { RetryPolicyOptions } from "@retry-budget/core";
import { createManualClock } from "@retry-budget/core/testing";
import {
  FlakyServer,
  hang,
  type Reply,
  refusingUrl,
  serve,
  status,
  truncate,
  until,
} from "@retry-budget/testkit";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
// biome-ignore lint/correctness/useImportExtensions: the examples are JavaScript.
import { createGateway } from "../examples/gateway/create-gateway.mjs";

interface Report {
  readonly cluster: string;
  readonly originals: number;
  readonly retries: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly amplification: number;
  readonly balance: number;
  readonly upstreams: readonly { origin: string; attempts: number; failures: number }[];
}

type Clusters = Readonly<Record<string, readonly string[]>>;
type Rest = Omit<Parameters<typeof request>[1] & object, "dispatcher">;

async function gatewayTo(clusters: Clusters, options: RetryPolicyOptions = {}) {
  const gateway = createGateway(clusters, { backoff: () => 0, ...options });
  const address: string = await gateway.listen({ port: 0, host: "127.0.0.1" });
  // A client without a budget, as the world outside is.
  const dispatcher = new Agent();
  onTestFinished(async () => {
    await dispatcher.destroy();
    await gateway.close();
  });
  const fetch = async (path: string, rest: Rest = {}) => {
    const { statusCode, headers, body } = await request(address + path, { ...rest, dispatcher });
    return { status: statusCode, headers, body: await body.text() };
  };
  const report = async (name: string): Promise<Report> => {
    const reports: Report[] = JSON.parse((await fetch("/upstreams")).body);
    const found = reports.find(({ cluster }) => cluster === name);
    if (found === undefined) throw new Error(`No cluster ${name}`);
    return found;
  };
  return { address, fetch, report };
}

/** A server that can be killed in the middle of a test, as it was when it died. */
async function mortal(...replies: Reply[]) {
  const server = await FlakyServer.start(...replies);
  let isAlive = true;
  const { url } = server;
  const kill = async (): Promise<void> => {
    if (isAlive) await server.close();
    isAlive = false;
  };
  onTestFinished(kill);
  return { url, kill, hits: server.hits, received: (count: number) => server.received(count) };
}

const ok = status(200, {}, "ok");
const attemptsOf = ({ hits }: FlakyServer | Awaited<ReturnType<typeof mortal>>) =>
  hits.map(({ headers }) => Number(headers["x-envoy-attempt-count"]));
const count = <Value>(values: readonly Value[], value: Value): number =>
  values.filter((candidate) => candidate === value).length;

test("one of two upstreams is killed: GETs succeed while the budget lasts, and POSTs go out once", async () => {
  const [first, second] = [await mortal(ok), await mortal(ok)];
  const others = [await serve(ok), await serve(ok)] as const;
  const { fetch, report } = await gatewayTo({
    items: [first.url, second.url],
    orders: others.map(({ url }) => url),
  });
  const statuses = async (path: string, number: number, rest?: Rest): Promise<number[]> => {
    const answers: number[] = [];
    while (answers.length < number) answers.push((await fetch(path, rest)).status);
    return answers;
  };

  expect(count(await statuses("/items/1", 20), 200)).toBe(20);
  expect([first.hits.length, second.hits.length]).toEqual([10, 10]);
  await second.kill();

  // Every other one meets the dead upstream first: it spends a token where 0.2 come in.
  expect(count(await statuses("/items/2", 24), 200)).toBe(24);
  // After that a tenth is rescued of the half that fails.
  const later = await statuses("/items/3", 200);
  expect([count(later, 200), count(later, 502)]).toEqual([120, 80]);

  const posts = await statuses("/items/4", 20, {
    method: "POST",
    headers: { "idempotency-key": "k1" },
    body: "pay",
  });
  expect([count(posts, 200), count(posts, 502)]).toEqual([10, 10]);
  const received = first.hits.filter(({ method }) => method === "POST");
  expect(received.map(({ body }) => body.toString())).toEqual(new Array(10).fill("pay"));

  expect(count(await statuses("/orders/1", 20), 200)).toBe(20);
  expect(await report("orders")).toMatchObject({ originals: 20, retries: 0, balance: 10 });

  const items = await report("items");
  const retries = count(attemptsOf(first), 2);
  expect(items).toMatchObject({ originals: 264, retries, amplification: 1 + retries / 264 });
  expect(retries).toBeLessThanOrEqual(10 + 264 / 10);
  expect(items.upstreams).toEqual([
    { origin: first.url, attempts: first.hits.length, failures: 0 },
    { origin: second.url, attempts: 264 + retries - first.hits.length, failures: 12 + 100 + 10 },
  ]);
  expect(items.refusals).toEqual({ budget: 80, attempts: 10 });
}, 60_000);

test("what was in flight at the upstream that is killed: a GET is answered by the other, a POST is not sent again", async () => {
  const [first, second] = [await mortal(hang()), await mortal(ok)];
  const { fetch, report } = await gatewayTo({ items: [first.url, second.url] });
  const calls = [
    fetch("/items/1"),
    fetch("/items/2"),
    fetch("/items/3", { method: "POST", headers: { "idempotency-key": "k1" } }),
  ];
  await first.received(2);
  await first.kill();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 502]);
  expect(second.hits.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /2", "GET /1"]);
  expect(attemptsOf(second)).toEqual([1, 2]);
  expect(await report("items")).toMatchObject({
    originals: 3,
    retries: 1,
    refusals: { method: 1 },
    upstreams: [
      { attempts: 2, failures: 2 },
      { attempts: 2, failures: 0 },
    ],
  });
});

test("both upstreams are down: the load stays within a tenth and the burst, and their answer is the caller's", async () => {
  const servers = [
    await serve(status(503, { "x-who": "first" }, "the first is down")),
    await serve(status(503, { "x-who": "second" }, "the second is down")),
  ] as const;
  const { fetch, report } = await gatewayTo({ items: servers.map(({ url }) => url) });
  const answers: Awaited<ReturnType<typeof fetch>>[] = [];
  for (let original = 0; original < 300; original++) answers.push(await fetch("/items/1"));

  const received = servers[0].hits.length + servers[1].hits.length;
  expect(received).toBe(300 + 39);
  const items = await report("items");
  expect(items).toMatchObject({ originals: 300, retries: 39, amplification: 1.13, balance: 0 });
  expect(items.upstreams).toEqual(
    servers.map(({ url, hits }) => ({ origin: url, attempts: hits.length, failures: hits.length })),
  );
  for (const { status, headers, body } of answers) {
    expect([status, body]).toEqual([503, `the ${headers["x-who"]} is down`]);
  }
}, 60_000);

test("no upstream is there at all: 502, and no more is sent than the budget allows", async () => {
  const { fetch, report } = await gatewayTo({ items: [await refusingUrl(), await refusingUrl()] });
  for (let original = 0; original < 100; original++) {
    expect((await fetch("/items/1")).status).toBe(502);
  }
  const { retries, upstreams } = await report("items");
  expect(retries).toBe(19);
  const [first, second] = upstreams.map(({ attempts }) => attempts);
  expect(Number(first) + Number(second)).toBe(100 + 19);
}, 60_000);

test("a retry is marked, whatever a caller says of its own attempts", async () => {
  const [first, second] = [await serve(status(503)), await serve(ok)];
  const { fetch } = await gatewayTo({ items: [first.url, second.url] });
  const forged = { "x-envoy-attempt-count": "99", "retry-budget-deadline": "for ever" };
  expect((await fetch("/items/1", { headers: forged })).status).toBe(200);
  expect([attemptsOf(first), attemptsOf(second)]).toEqual([[1], [2]]);
  for (const { headers } of [...first.hits, ...second.hits]) {
    expect(headers).not.toHaveProperty("retry-budget-deadline");
  }
});

test("a caller that retries is left to it, and the upstream is told which attempt it is", async () => {
  const [first, second] = [await serve(status(503)), await serve(ok)];
  const { fetch, report } = await gatewayTo({ items: [first.url, second.url] });
  const headers = { "retry-budget-retried": "1", "retry-budget-attempt": "3" };
  expect((await fetch("/items/1", { headers })).status).toBe(503);
  expect(second.hits).toHaveLength(0);
  expect(attemptsOf(first)).toEqual([3]);
  expect(await report("items")).toMatchObject({ originals: 0, retries: 0, refusals: { layer: 1 } });
});

test("a deadline of the caller's is told to the upstream, less what has passed", async () => {
  const server = await serve(ok);
  const { fetch } = await gatewayTo({ items: [server.url] });
  await fetch("/items/1", { headers: { "retry-budget-deadline": "60000" } });
  const left = Number(server.hits[0]?.headers["x-envoy-expected-rq-timeout-ms"]);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(60_000);
});

test("a body goes through once: what was read of it is not there for a retry", async () => {
  const [first, second] = [await serve(status(503, {}, "no")), await serve(ok)];
  const { fetch, report } = await gatewayTo({ items: [first.url, second.url] });
  expect(await fetch("/items/1", { method: "PUT", body: "news" })).toMatchObject({
    status: 503,
    body: "no",
  });
  expect([first.hits[0]?.body.toString(), second.hits.length]).toEqual(["news", 0]);
  expect(await report("items")).toMatchObject({ retries: 0, refusals: { body: 1 } });
});

test("a body that nobody has read goes to the other upstream", async () => {
  const second = await serve(ok);
  const { fetch, report } = await gatewayTo({ items: [await refusingUrl(), second.url] });
  expect((await fetch("/items/1", { method: "PUT", body: "news" })).status).toBe(200);
  expect(second.hits.map(({ body }) => body.toString())).toEqual(["news"]);
  expect(await report("items")).toMatchObject({ retries: 1 });
});

test("an answer is streamed through, and one that breaks off breaks off", async () => {
  let answer: ServerResponse | undefined;
  const streaming: Reply = (response) => {
    answer = response.writeHead(200);
    response.write("first ");
  };
  const server = await serve(streaming, truncate());
  const { address, fetch } = await gatewayTo({ items: [server.url] });
  const { body } = await request(`${address}/items/1`);
  const chunks = body[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe("first ");
  answer?.end("second");
  expect(String((await chunks.next()).value)).toBe("second");
  expect((await chunks.next()).done).toBe(true);
  await expect(fetch("/items/2")).rejects.toThrow();
});

test("a caller that hangs up in the backoff ends it: nothing is sent, the token comes back", async () => {
  const clock = createManualClock();
  const server = await serve(status(503));
  const { address, report } = await gatewayTo(
    { items: [server.url] },
    { clock, backoff: () => 100 },
  );
  const caller = new AbortController();
  const call = request(`${address}/items/1`, { signal: caller.signal });
  await until(() => clock.pending === 1);
  expect(await report("items")).toMatchObject({ balance: 9 });
  caller.abort();
  await expect(call).rejects.toThrow("aborted");
  await until(() => clock.pending === 0);
  clock.advance(100);
  expect(await report("items")).toMatchObject({
    balance: 10,
    retries: 0,
    refusals: { aborted: 1 },
  });
  expect(server.hits).toHaveLength(1);
});

test("what belongs to one connection stays there", async () => {
  const server = await serve(
    status(200, { connection: "x-own", "x-own": "1", "keep-alive": "timeout=5" }),
  );
  const { address } = await gatewayTo({ items: [server.url] });
  const call = send(`${address}/items/1`, {
    headers: {
      connection: "keep-alive, x-mine",
      "x-mine": "1",
      "keep-alive": "timeout=5",
      te: "trailers",
      "proxy-authorization": "Basic c2VjcmV0",
      expect: "100-continue",
      "x-theirs": "1",
    },
  }).end();
  const [response] = await once(call, "response");
  await text(response);
  expect(response.statusCode).toBe(200);
  const received = server.hits[0]?.headers;
  expect(received).toMatchObject({ "x-theirs": "1", host: "items" });
  for (const name of ["x-mine", "keep-alive", "te", "proxy-authorization", "expect"]) {
    expect(received).not.toHaveProperty(name);
  }
  expect(response.headers).not.toHaveProperty("x-own");
});
